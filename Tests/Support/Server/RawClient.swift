import EaselCore
import EaselSupport
import Glibc

/// A client that sends given bytes and keeps every byte of the answer.
public struct RawClient: Sendable {
  /// The bytes of an answer and the way it ended.
  public struct Answer: Hashable, Sendable {
    /// All bytes, unparsed.
    public var bytes: [UInt8] = []
    /// True when the connection was reset at the end.
    public var wasReset = false

    /// Wraps the bytes that a server sent.
    public init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    /// The bytes as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The bytes after the first empty line.
    public var body: [UInt8] {
      let end = Array("\r\n\r\n".utf8)
      for start in bytes.indices where bytes[start...].starts(with: end) { return Array(bytes[(start + 4)...]) }
      return []
    }

    /// The number in the status line.
    public var status: Int? { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } }

    /// All header fields.
    public var headers: HTTPHeaders {
      var headers = HTTPHeaders()
      for line in text.split(separator: "\r\n", omittingEmptySubsequences: false).dropFirst() {
        guard !line.isEmpty else { break }
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2 { headers.add(String(parts[0]), HTTPHeaders.trimmed(parts[1])) }
      }
      return headers
    }

    /// The value of a header field; the name must match exactly.
    public func header(_ name: String) -> String? {
      for line in text.split(separator: "\r\n", omittingEmptySubsequences: false) {
        if line.isEmpty { return nil }
        if line.hasPrefix(name + ": ") { return String(line.dropFirst(name.count + 2)) }
      }
      return nil
    }
  }

  private let descriptor: CInt

  /// Connects.
  public init(address: String = "127.0.0.1", port: Int) throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, address, &name.sin_addr)
    let status = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw SystemError(code: code)
    }
    self.descriptor = descriptor
  }

  /// Closes the connection.
  public func close() { Glibc.close(descriptor) }

  /// Sends a text.
  public func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends bytes.
  public func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Reads until the server ends the connection, or until this many bytes have come.
  public func receive(_ count: Int = .max) async -> Answer {
    await withCheckedContinuation { continuation in
      PlainThread.start { continuation.resume(returning: read(count)) }
    }
  }

  /// Sends one request over a connection that the server is asked to close.
  public static func get(
    _ path: String, from port: Int, address: String = "127.0.0.1", method: String = "GET", headers: [String] = []
  ) async throws -> Answer {
    let client = try RawClient(address: address, port: port)
    defer { client.close() }
    let lines = ["\(method) \(path) HTTP/1.1", "Host: test", "Connection: close"] + headers + ["", ""]
    client.send(lines.joined(separator: "\r\n"))
    return await client.receive()
  }

  private func read(_ count: Int) -> Answer {
    var answer = Answer()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while answer.bytes.count < count {
      let got = recv(descriptor, &buffer, min(buffer.count, count - answer.bytes.count), 0)
      if got < 0 && errno == EINTR { continue }
      answer.wasReset = got < 0 && errno == ECONNRESET
      guard got > 0 else { break }
      answer.bytes += buffer[..<got]
    }
    return answer
  }
}
