/// One action of a ``ScriptableServer`` on a connection.
public enum ServerStep: Sendable {
  /// Waits for a request and records it.
  case readRequest
  /// Sends exactly these bytes.
  case send([UInt8])
  /// Sends the first bytes of ``ServerBody``.
  case body(count: Int)
  /// Blocks until the test opens the gate.
  case wait(Gate)
  /// Sends the bytes one by one, each when the gate lets it through.
  case drip([UInt8], through: Gate)
  /// Sends the bytes one by one, with a pause before each.
  case dripEvery(Duration, [UInt8])
  /// Sends nothing more until the client has left.
  case waitForHangup
  /// Resets the connection once the client's system has received the bytes sent so far.
  case reset
  /// Ends the connection in order.
  case close

  /// Sends exactly this text.
  public static func text(_ text: String) -> ServerStep { .send(Array(text.utf8)) }

  /// Sends a status line, header fields and the empty line after them.
  public static func head(_ status: Int, _ headers: [(String, String)] = []) -> ServerStep {
    var text = "HTTP/1.1 \(status) \(reason(for: status))\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    return .text(text + "\r\n")
  }

  /// Sends one chunk of a chunked body; an empty chunk is the last.
  public static func chunk(_ bytes: [UInt8]) -> ServerStep {
    .send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
  }

  private static func reason(for status: Int) -> String {
    switch status {
    case 200: "OK"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 404: "Not Found"
    case 416: "Range Not Satisfiable"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    default: "Status \(status)"
    }
  }
}
