import EaselCore
import Glibc

/// A port of loopback, held for a server that opens its port itself.
///
/// The system gives a port that has a socket to nobody who asks for a free one. Who names it may take it as well, if both
/// set SO_REUSEADDR, as Redis and memcached do, and only one of them listens.
final class HeldPort: Sendable {
  let number: Int
  private let descriptor: CInt

  init() throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    var isShared: CInt = 1
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isHeld = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<CInt>.size)) == 0
          && bind(descriptor, name, length) == 0 && getsockname(descriptor, name, &length) == 0
      }
    }
    guard isHeld else {
      let code = errno
      close(descriptor)
      throw SystemError(code: code)
    }
    self.descriptor = descriptor
    number = Int(UInt16(bigEndian: name.sin_port))
  }

  deinit { close(descriptor) }
}
