import CEaselListener
import Glibc

/// A socket that listens; it is closed when its last owner lets it go.
final class ListeningSocket: Sendable {
  private struct File: Equatable {
    let device: UInt64
    let inode: UInt64

    /// The file at a path; nil if there is none.
    init?(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  let descriptor: Int32
  /// The address with the port that the system chose.
  let address: ListenerAddress
  private let file: File?

  private init(_ descriptor: Int32, _ address: ListenerAddress, file: File? = nil) {
    self.descriptor = descriptor
    self.address = address
    self.file = file
  }

  deinit { close(descriptor) }

  /// Removes the file of a Unix socket, unless another program has put its own there meanwhile.
  func removeFile() {
    if case .unix(let path, _) = address, let file, File(path) == file { unlink(path) }
  }

  /// Opens the sockets for an address.
  static func open(_ address: ListenerAddress, _ settings: ListenerSettings) throws(ListenerError) -> [ListeningSocket]
  {
    switch address {
    case .tcp(let host, let port): try openPorts(host, port, settings)
    case .unix(let path, let mode): [try openFile(path, mode, settings)]
    case .inherited(let descriptor): [try adopt(descriptor)]
    }
  }
}

extension ListeningSocket {
  /// The bytes that the system takes over for a client that cannot receive them yet.
  ///
  /// Otherwise a connection would fill a buffer of megabytes: five thousand clients that do not read what they ask for
  /// took 600 MB of the system's memory, and the time to fill it from all others.
  private static let mostUnsent: CInt = 16 << 10

  private static func openPorts(
    _ host: String, _ port: Int, _ settings: ListenerSettings
  ) throws(ListenerError) -> [ListeningSocket] {
    let address = ListenerAddress.tcp(host: host, port: port)
    guard (0...65_535).contains(port) else { throw ListenerError("Could not listen on \(address): no such port.") }
    if host.isEmpty {
      // One socket for both versions; a machine without IPv6 has only the other.
      if let both = try? openPort("::", port, settings, takesBoth: true) { return [both] }
      return [try openPort("0.0.0.0", port, settings)]
    }
    var sockets: [ListeningSocket] = []
    var port = port
    for number in try numericHosts(of: host, address) {
      let socket = try openPort(number, port, settings)
      if case .tcp(_, let chosen) = socket.address { port = chosen }
      sockets.append(socket)
    }
    return sockets
  }

  private static func numericHosts(of host: String, _ address: ListenerAddress) throws(ListenerError) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, nil, &hints, &list)
    guard status == 0 else {
      throw ListenerError("Could not find the address of \(address): \(String(cString: gai_strerror(status))).")
    }
    defer { freeaddrinfo(list) }
    var hosts: [String] = []
    var next = list
    while let info = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let isText = getnameinfo(
        info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, CInt(NI_NUMERICHOST))
      let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
      if isText == 0, !hosts.contains(host) { hosts.append(host) }
      next = info.ai_next
    }
    return hosts
  }

  /// Listens on a port of a numeric address.
  private static func openPort(
    _ host: String, _ port: Int, _ settings: ListenerSettings, takesBoth: Bool = false
  ) throws(ListenerError) -> ListeningSocket {
    let isSix = host.utf8.contains(UInt8(ascii: ":"))
    return try make(isSix ? AF_INET6 : AF_INET, .tcp(host: host, port: port)) { descriptor in
      set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
      if settings.sharesPort { set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) }
      // Connections inherit both options. A head and its body are sent in one call, so there is nothing to wait for.
      set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
      set(descriptor, CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, mostUnsent)
      if isSix { set(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, takesBoth ? 0 : 1) }
      let chosen = isSix ? bindSix(descriptor, host, port) : bindFour(descriptor, host, port)
      guard let chosen, listen(descriptor, CInt(settings.backlog)) == 0 else { return nil }
      return ListeningSocket(descriptor, .tcp(host: takesBoth ? "" : host, port: chosen))
    }
  }

  private static func bindFour(_ descriptor: Int32, _ host: String, _ port: Int) -> Int? {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, host, &name.sin_addr)
    return bind(descriptor, to: &name) ? Int(UInt16(bigEndian: name.sin_port)) : nil
  }

  private static func bindSix(_ descriptor: Int32, _ host: String, _ port: Int) -> Int? {
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_port = UInt16(port).bigEndian
    // The address of a link has the name of its interface after a percent sign.
    let parts = host.split(separator: "%", maxSplits: 1)
    inet_pton(AF_INET6, String(parts[0]), &name.sin6_addr)
    if parts.count == 2 { name.sin6_scope_id = if_nametoindex(String(parts[1])) }
    return bind(descriptor, to: &name) ? Int(UInt16(bigEndian: name.sin6_port)) : nil
  }

  /// Binds, and replaces the name by the one that the socket has now.
  private static func bind<Name>(_ descriptor: Int32, to name: inout Name) -> Bool {
    var length = socklen_t(MemoryLayout<Name>.size)
    return withUnsafeMutablePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        Glibc.bind(descriptor, name, length) == 0 && getsockname(descriptor, name, &length) == 0
      }
    }
  }

  private static func set(_ descriptor: Int32, _ level: CInt, _ option: CInt, _ value: CInt) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Makes a socket that never blocks; closes it if `prepare` fails with nil and sets `errno`.
  private static func make(
    _ family: CInt, _ address: ListenerAddress, _ prepare: (Int32) -> ListeningSocket?
  ) throws(ListenerError) -> ListeningSocket {
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { throw ListenerError("listen on", address) }
    if let socket = prepare(descriptor) { return socket }
    let code = errno
    close(descriptor)
    throw ListenerError("listen on", address, code: code)
  }
}

extension ListeningSocket {
  private static func openFile(
    _ path: String, _ mode: UInt32, _ settings: ListenerSettings
  ) throws(ListenerError) -> ListeningSocket {
    let address = ListenerAddress.unix(path: path, mode: mode)
    guard var name = fileName(path) else {
      throw ListenerError("Could not listen on \(address): a path has at most 107 bytes and no null.")
    }
    try removeStaleFile(path, &name, address)
    return try make(AF_UNIX, address) { descriptor in
      // Nobody can connect before listen, so the mode is in force from the beginning.
      guard bind(descriptor, to: &name), chmod(path, mode) == 0 else { return nil }
      guard listen(descriptor, CInt(settings.backlog)) == 0 else { return nil }
      return ListeningSocket(descriptor, address, file: File(path))
    }
  }

  private static func fileName(_ path: String) -> sockaddr_un? {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    return withUnsafeMutableBytes(of: &name.sun_path) { target in
      guard !bytes.isEmpty, bytes.count < target.count, !bytes.contains(0) else { return false }
      target.copyBytes(from: bytes)
      return true
    } ? name : nil
  }

  /// Removes the socket of a program that ended without removing it.
  private static func removeStaleFile(
    _ path: String, _ name: inout sockaddr_un, _ address: ListenerAddress
  ) throws(ListenerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ListenerError("Could not listen on \(address): there is a file which is not a socket. Remove it first.")
    }
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    defer { close(descriptor) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isRefused = withUnsafePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) != 0 }
    }
    // Any other answer, such as a full queue, comes from a program that listens.
    guard isRefused, errno == ECONNREFUSED else {
      throw ListenerError("Could not listen on \(address): another program listens there.")
    }
    guard unlink(path) == 0 || errno == ENOENT else { throw ListenerError("replace", address) }
  }

  /// Takes over a socket that another program has opened for this one.
  private static func adopt(_ descriptor: Int32) throws(ListenerError) -> ListeningSocket {
    let address = ListenerAddress.inherited(descriptor: descriptor)
    guard easel_is_listening(descriptor) else {
      throw ListenerError("Could not listen on \(address): it is not a socket that listens.")
    }
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
      fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
    else { throw ListenerError("listen on", address) }
    set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, 1)
    set(descriptor, CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, mostUnsent)
    return ListeningSocket(descriptor, address)
  }
}
