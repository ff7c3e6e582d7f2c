import EaselCore
import Glibc

/// A listening socket on loopback.
struct ServerListener {
  let descriptor: CInt
  let port: Int

  /// Listens on a port that the kernel chooses; without a backlog it only reserves the port.
  init(address: String, backlog: CInt? = 512) throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else {
      close(descriptor)
      throw SystemError(code: EINVAL)
    }
    let isBound = Self.withPointer(to: &name) { bind(descriptor, $0, $1) == 0 }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isNamed = isBound && Self.withPointer(to: &name) { name, _ in getsockname(descriptor, name, &length) == 0 }
    guard isNamed, backlog.map({ listen(descriptor, $0) == 0 }) ?? true else {
      let code = errno
      close(descriptor)
      throw SystemError(code: code)
    }
    self.descriptor = descriptor
    port = Int(UInt16(bigEndian: name.sin_port))
  }

  /// The next connection; nil when the listener has ended.
  func accept() -> ServerSocket? {
    while true {
      let connection = Glibc.accept(descriptor, nil, nil)
      if connection >= 0 {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        return ServerSocket(connection)
      }
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  /// Ends a waiting ``accept()``.
  func interrupt() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }

  func stop() { close(descriptor) }

  private static func withPointer<Result>(
    to name: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
