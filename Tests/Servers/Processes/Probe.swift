import EaselCore
import Glibc

/// Checks whether a server answers.
enum Probe {
  /// Sends a request and waits for the first bytes of an answer.
  ///
  /// The port listens before the server starts. So a refused or broken connection means that the server is gone, and a
  /// waiting one that it is starting; there is no need to try again.
  static func answers(port: Int, path: String = "/", patience seconds: Int = 60) -> Bool {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard connects(descriptor, port) else { return false }
    let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    guard send(descriptor, request, request.utf8.count, CInt(MSG_NOSIGNAL)) == request.utf8.count else { return false }
    var beginning = [UInt8](repeating: 0, count: 9)
    var got: Int
    repeat {
      got = recv(descriptor, &beginning, beginning.count, CInt(MSG_WAITALL))
    } while got < 0 && errno == EINTR
    return beginning == Array("HTTP/1.1 ".utf8)
  }

  /// Waits until a server accepts connections at a port that it opens itself.
  static func accepts(port: Int) -> Bool {
    for _ in 0..<4000 {
      let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      defer { close(descriptor) }
      if connects(descriptor, port) { return true }
      usleep(5000)
    }
    return false
  }

  private static func connects(_ descriptor: CInt, _ port: Int) -> Bool {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    name.sin_port = UInt16(port).bigEndian
    return withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    } == 0
  }

  /// True if a server accepts connections on a Unix socket.
  static func accepts(unixSocket path: String) -> Bool {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { target in target.copyBytes(from: Array(path.utf8).prefix(107)) }
    return withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    } == 0
  }
}
