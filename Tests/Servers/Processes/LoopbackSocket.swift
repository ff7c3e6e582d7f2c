import EaselCore
import Glibc

/// A listening socket for servers that are part of a test.
public enum LoopbackSocket {
  /// Listens on a free port; the caller closes the descriptor.
  public static func listen() throws -> (descriptor: Int32, port: Int) {
    let socket = try ListeningSocket()
    return (socket.release(), socket.port)
  }

  /// Binds a socket to a free port; the caller closes the descriptor.
  static func bind(sharesPort: Bool = false) throws -> (descriptor: CInt, port: Int) {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    var isShared: CInt = sharesPort ? 1 : 0
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<CInt>.size)) == 0
          && Glibc.bind(descriptor, name, length) == 0 && getsockname(descriptor, name, &length) == 0
      }
    }
    guard isBound else {
      let code = errno
      close(descriptor)
      throw SystemError(code: code)
    }
    return (descriptor, Int(UInt16(bigEndian: name.sin_port)))
  }
}
