import EaselTestSupport

/// Requests as a client sends them over a connection of its own.
public enum LoopbackClient {
  /// The head of a request.
  public static func head(
    _ path: String, _ method: String = "GET", length: Int? = nil, isLast: Bool = false, headers: [String] = []
  ) -> String {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: test"] + headers
    if let length { lines.append("Content-Length: \(length)") }
    if isLast { lines.append("Connection: close") }
    return (lines + ["", ""]).joined(separator: "\r\n")
  }

  /// Asks once.
  public static func get(
    _ path: String, from port: Int, method: String = "GET", headers: [String] = []
  ) async throws -> RawClient.Answer {
    try await ask(head(path, method, isLast: true, headers: headers), [], port)
  }

  /// Sends a body.
  public static func post(_ body: [UInt8], to path: String, at port: Int) async throws -> RawClient.Answer {
    try await ask(head(path, "POST", length: body.count, isLast: true), body, port)
  }

  private static func ask(_ head: String, _ body: [UInt8], _ port: Int) async throws -> RawClient.Answer {
    let client = try RawClient(port: port)
    defer { client.close() }
    client.send(head)
    client.send(body)
    return await client.receive()
  }
}
