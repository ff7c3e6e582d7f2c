import EaselCore
import Glibc

/// A socket on a free port of loopback that is handed to a server, so that nobody else can take the port.
final class ListeningSocket {
  let descriptor: CInt
  let port: Int
  private var isOpen = true

  init() throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(descriptor, name, length) == 0 && listen(descriptor, 511) == 0
          && getsockname(descriptor, name, &length) == 0
      }
    }
    guard isReady else {
      let code = errno
      close(descriptor)
      throw SystemError(code: code)
    }
    self.descriptor = descriptor
    port = Int(UInt16(bigEndian: name.sin_port))
  }

  /// Hands the descriptor over to the caller, who closes it.
  func release() -> CInt {
    isOpen = false
    return descriptor
  }

  /// Closes this process's copy of the socket.
  func letGo() {
    if isOpen { close(descriptor) }
    isOpen = false
  }

  deinit { letGo() }
}
