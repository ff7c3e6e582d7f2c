import EaselCore
import Glibc

/// A socket on a free port of loopback that is handed to a server, so that nobody else can take the port.
final class ListeningSocket {
  let descriptor: CInt
  let port: Int
  private var isOpen = true

  init() throws {
    let bound = try LoopbackSocket.bind()
    guard listen(bound.descriptor, 511) == 0 else {
      let code = errno
      close(bound.descriptor)
      throw SystemError(code: code)
    }
    (descriptor, port) = bound
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
