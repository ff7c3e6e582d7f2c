import EaselCore
import EaselService

extension OutgoingResponse {
  /// Stands in for a response that cannot be sent.
  static let unsound = message(500, "The response of the handler cannot be sent.")

  /// A response of the listener itself: one line of text.
  static func message(_ status: Int, _ text: String, headers: [(String, String)] = []) -> ServiceResponse {
    let fields = [
      ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
      ("X-Content-Type-Options", "nosniff"),
    ]
    return ServiceResponse(
      status: status, headers: HTTPHeaders(fields + headers), body: [ImageBytes(Array((text + "\n").utf8))])
  }

  /// True for a field that cannot end the head or begin another field.
  static func isSound(_ field: HTTPHeaders.Field) -> Bool { field.name.utf8.isToken && field.value.isFieldText }

  static func wantsClose(_ fields: some Sequence<HTTPHeaders.Field>) -> Bool {
    fields.contains { $0.name.utf8.isText("connection") && $0.value.utf8.isText("close") }
  }

  /// The first fields of a response as bytes.
  struct WrittenFields {
    let bytes: [UInt8]
    let count: Int
  }

  /// Fields as bytes of a head; nil if they must not be sent, or say something about the connection.
  static func written(_ headers: HTTPHeaders) -> [UInt8]? {
    guard headers.fields.allSatisfy(isSound), !wantsClose(headers.fields) else { return nil }
    var bytes: [UInt8] = []
    for field in headers.fields where !isOwn(field.name) {
      bytes += field.name.utf8
      bytes += [0x3A, 0x20]
      bytes += field.value.utf8
      bytes += [0x0D, 0x0A]
    }
    return bytes
  }

  static func head(
    of response: ServiceResponse, _ written: WrittenFields?, _ frame: ResponseFrame, hasBody: Bool, _ date: String
  ) -> [UInt8] {
    var head: [UInt8] = []
    head.reserveCapacity(512 + (written?.bytes.count ?? 0))
    func add(_ name: StaticString, _ value: some StringProtocol) {
      name.withUTF8Buffer { head += $0 }
      head += value.utf8
      head += [0x0D, 0x0A]
    }
    add("HTTP/1.1 ", "\(response.status) \(reason(response.status))")
    add("Date: ", date)
    var announced: String?
    if let written { head += written.bytes }
    for field in response.headers.fields.dropFirst(written?.count ?? 0) {
      if field.name.utf8.isText("content-length") { announced = field.value }
      if isOwn(field.name) { continue }
      head += field.name.utf8
      add(": ", field.value)
    }
    if let length = length(of: response, hasBody: hasBody, announced) { add("Content-Length: ", length) }
    if !frame.keepsAlive {
      add("Connection: ", "close")
    } else if !frame.isCurrentVersion {
      add("Connection: ", "keep-alive")
    }
    head += [0x0D, 0x0A]
    return head
  }

  /// The length to announce.
  ///
  /// The handler's word counts only for a response whose body is not sent.
  private static func length(of response: ServiceResponse, hasBody: Bool, _ announced: String?) -> String? {
    if response.status == 204 { return nil }
    let count = response.body.reduce(0) { $0 + $1.count }
    if hasBody || count > 0 && response.status != 304 { return "\(count)" }
    return announced.flatMap { $0.utf8.allSatisfy(\.isDigit) && !$0.isEmpty ? $0 : nil }
  }

  /// True for the fields about the connection, which only the listener writes.
  private static func isOwn(_ name: String) -> Bool {
    let name = name.utf8
    switch name.count {
    case 2: return name.isText("te")
    case 4: return name.isText("date")
    case 7: return name.isText("upgrade") || name.isText("trailer")
    case 10: return name.isText("connection") || name.isText("keep-alive")
    case 14: return name.isText("content-length")
    case 16: return name.isText("proxy-connection")
    case 17: return name.isText("transfer-encoding")
    default: return false
    }
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 202: "Accepted"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 410: "Gone"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 508: "Loop Detected"
    // The reason may be empty; programs read the number.
    default: ""
    }
  }
}
