import EaselCore
import EaselSupport
import FoundationEssentials
import Glibc

/// Sends one body to every client at a steady rate, and records when the last bytes left.
final class PacedServer: Sendable {
  private static let chunk = 32 << 10

  let url: URL
  private let socket: CInt
  private let body: Data
  private let secondsPerByte: Double
  private let lastByte = Locked(ContinuousClock.now)

  /// Listens on loopback at once.
  init(_ body: Data, type: String, bytesPerSecond: Double) throws {
    self.body = body
    secondsPerByte = 1 / bytesPerSecond
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.socket = socket
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard isListening else { throw SystemError(code: errno) }
    url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/picture")!
    let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\r\n"
    PlainThread.start { [self] in
      while case let connection = accept(socket, nil, nil), connection >= 0 {
        serve(connection, Array(head.utf8))
        close(connection)
      }
    }
  }

  func stop() {
    shutdown(socket, CInt(SHUT_RDWR))
    close(socket)
  }

  /// The time when the last bytes of the last answer were passed to the kernel.
  var lastByteTime: ContinuousClock.Instant { lastByte.withLock { $0 } }

  private func serve(_ connection: CInt, _ head: [UInt8]) {
    var yes: CInt = 1
    setsockopt(connection, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
    var request = [UInt8](repeating: 0, count: 8192)
    // A request fits into one read, because clients send only a few lines.
    while read(connection, &request, request.count) > 0 {
      guard head.withUnsafeBytes({ sendAll($0, connection) }), sendBody(connection) else { return }
    }
  }

  private func sendBody(_ connection: CInt) -> Bool {
    let start = ContinuousClock.now
    return body.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let end = min(sent + Self.chunk, bytes.count)
        Self.wait(until: start.advanced(by: .seconds(Double(end) * secondsPerByte)))
        // Recorded before the bytes leave, because the client may be done before this thread runs again.
        if end == bytes.count { lastByte.withLock { $0 = .now } }
        guard sendAll(UnsafeRawBufferPointer(rebasing: bytes[sent..<end]), connection) else { return false }
        sent = end
      }
      return true
    }
  }

  private static func wait(until time: ContinuousClock.Instant) {
    let left = ContinuousClock.now.duration(to: time) / .microseconds(1)
    if left > 0 { usleep(UInt32(left)) }
  }

  private func sendAll(_ bytes: UnsafeRawBufferPointer, _ connection: CInt) -> Bool {
    var bytes = bytes
    while !bytes.isEmpty {
      let count = send(connection, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
      guard count > 0 else { return false }
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count))
    }
    return true
  }
}
