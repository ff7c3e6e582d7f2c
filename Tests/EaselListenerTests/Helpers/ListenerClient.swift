import EaselCore
import EaselListener
import EaselSupport
import EaselTestSupport
import Glibc

/// A client that sends any bytes to a listener and reads answers one by one.
final class ListenerClient: Sendable {
  /// An answer with a head and a body.
  struct Answer: Equatable {
    var status = 0
    var headers = HTTPHeaders()
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  let descriptor: Int32
  private let input = Locked<[UInt8]>([])
  private let isOpen = Locked(true)

  /// Connects; a client of TCP may name the address that it comes from.
  init(_ address: ListenerAddress, from source: String? = nil, receiveBuffer: CInt? = nil) throws {
    switch address {
    case .tcp(let host, let port) where host.contains(":"):
      descriptor = try Self.make(AF_INET6, receiveBuffer)
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = UInt16(port).bigEndian
      inet_pton(AF_INET6, host, &name.sin6_addr)
      try Self.check(Self.with(&name) { connect(descriptor, $0, $1) })
    case .tcp(let host, let port):
      descriptor = try Self.make(AF_INET, receiveBuffer)
      if let source {
        var name = Self.name(source, 0)
        try Self.check(Self.with(&name) { bind(descriptor, $0, $1) })
      }
      var name = Self.name(host.isEmpty ? "127.0.0.1" : host, port)
      try Self.check(Self.with(&name) { connect(descriptor, $0, $1) })
    case .unix(let path, _):
      descriptor = try Self.make(AF_UNIX, receiveBuffer)
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
      try Self.check(Self.with(&name) { connect(descriptor, $0, $1) })
    case .inherited: throw SystemError(code: EINVAL)
    }
  }

  deinit { close() }

  /// True when nobody listens at an address any more.
  ///
  /// It asks several times, because a process that another test is starting has a copy of each socket for a moment.
  static func isRefused(_ address: ListenerAddress) -> Bool {
    (0..<10_000).contains { _ in (try? ListenerClient(address)) == nil }
  }

  func close() {
    isOpen.withLock { isOpen in
      if isOpen { _ = Glibc.close(descriptor) }
      isOpen = false
    }
  }

  /// Ends the connection as a program does that crashes.
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  /// Says that nothing more will be sent.
  func closeSending() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends bytes; they must fit into the buffers of the system.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Asks for a target on a connection that stays open.
  func get(_ target: String, method: String = "GET", fields: [String] = []) {
    send((["\(method) \(target) HTTP/1.1", "Host: test"] + fields + ["", ""]).joined(separator: "\r\n"))
  }

  /// The next answer; nil when the connection ends before it is complete.
  func answer(isHeadOnly: Bool = false) async -> Answer? {
    await onThread { client in
      let end = Array("\r\n\r\n".utf8)
      while true {
        if let head = client.input.withLock({ $0.firstRange(of: end) }) {
          let text = client.take(head.upperBound)
          var answer = Self.parsed(text)
          let hasBody = !isHeadOnly && answer.status != 304 && answer.status != 204
          let length = hasBody ? answer.headers["Content-Length"].flatMap { Int($0) } ?? 0 : 0
          while client.input.withLock({ $0.count }) < length { guard client.read() else { return nil } }
          answer.body = client.take(length)
          return answer
        }
        guard client.read() else { return nil }
      }
    }
  }

  /// The bytes that come until the other end closes; nil when it does not, or the connection is reset.
  func rest() async -> [UInt8]? {
    await onThread { client in
      while client.read() {}
      return errno == 0 ? client.take(.max) : nil
    }
  }

  /// Reads this many bytes, and takes them.
  func receive(_ count: Int) async -> [UInt8] {
    await onThread { client in
      while client.input.withLock({ $0.count }) < count, client.read(most: count) {}
      return client.take(count)
    }
  }

  /// True when the other end closes without sending anything.
  func isClosedSilently() async -> Bool { await rest() == [] }

  private func onThread<Result: Sendable>(_ body: @escaping @Sendable (ListenerClient) -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      PlainThread.start { continuation.resume(returning: body(self)) }
    }
  }

  private func take(_ count: Int) -> [UInt8] {
    input.withLock { input in
      let taken = Array(input.prefix(count))
      input.removeFirst(taken.count)
      return taken
    }
  }

  /// False at the end, with an `errno` of 0 if it was in order.
  private func read(most: Int = 1 << 16) -> Bool {
    var buffer = [UInt8](repeating: 0, count: min(most, 1 << 16))
    var got: Int
    repeat { got = recv(descriptor, &buffer, buffer.count, 0) } while got < 0 && errno == EINTR
    guard got > 0 else {
      if got == 0 { errno = 0 }
      return false
    }
    input.withLock { $0 += buffer[..<got] }
    return true
  }

  private static func parsed(_ head: [UInt8]) -> Answer {
    let answer = RawClient.Answer(head)
    return Answer(status: answer.status ?? 0, headers: answer.headers)
  }

  private static func make(_ family: CInt, _ receiveBuffer: CInt?) throws -> Int32 {
    let descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    try check(descriptor)
    // A listener that never answers fails the test instead of holding it.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    }
    return descriptor
  }

  private static func name(_ host: String, _ port: Int) -> sockaddr_in {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, host, &name.sin_addr)
    return name
  }

  private static func with<Name>(
    _ name: inout Name, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    withUnsafePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Name>.size)) }
    }
  }

  private static func check(_ status: CInt) throws {
    if status < 0 { throw SystemError(code: errno) }
  }
}

extension Array<UInt8> {
  /// The first place of a sequence of bytes.
  fileprivate func firstRange(of part: [UInt8]) -> Range<Int>? {
    guard count >= part.count else { return nil }
    for start in 0...(count - part.count) where self[start...].starts(with: part) { return start..<start + part.count }
    return nil
  }
}
