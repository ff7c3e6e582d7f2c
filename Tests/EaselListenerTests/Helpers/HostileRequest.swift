import Testing

/// Bytes that a client must not send, and the answer that it gets.
struct HostileRequest: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  let status: Int

  init(_ status: Int, _ name: String, _ bytes: [UInt8]) {
    self.status = status
    self.name = name
    self.bytes = bytes
  }

  init(_ status: Int, _ name: String, _ text: String) { self.init(status, name, Array(text.utf8)) }

  /// A request that is right up to a field.
  private static func field(_ status: Int, _ name: String, _ lines: String, method: String = "GET") -> HostileRequest {
    HostileRequest(status, name, "\(method) /x HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n")
  }

  /// A request whose first line is given.
  private static func line(_ status: Int, _ name: String, _ line: String) -> HostileRequest {
    HostileRequest(status, name, "\(line)\r\nHost: a\r\n\r\n")
  }

  private static let next = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

  var testDescription: String { name }

  static let all = lines + ends + hosts + fields + bodies + large

  static let lines = [
    line(400, "HTTP/0.9", "GET /x"),
    line(400, "no target", "GET HTTP/1.1"),
    line(400, "empty target", "GET  HTTP/1.1"),
    line(400, "two spaces after the method", "GET  /x HTTP/1.1"),
    line(400, "two spaces before the version", "GET /x  HTTP/1.1"),
    line(400, "space in the target", "GET /a b HTTP/1.1"),
    line(400, "tab in the line", "GET\t/x HTTP/1.1"),
    line(400, "tab in the target", "GET /a\tb HTTP/1.1"),
    line(400, "space at the beginning", " GET /x HTTP/1.1"),
    line(400, "space at the end", "GET /x HTTP/1.1 "),
    line(400, "no method", " /x HTTP/1.1"),
    line(400, "method that is no token", "GE(T /x HTTP/1.1"),
    line(400, "one word", "GARBAGE"),
    line(400, "version in small letters", "GET /x http/1.1"),
    line(400, "version without a digit", "GET /x HTTP/1."),
    line(400, "version of three digits", "GET /x HTTP/1.10"),
    line(400, "other protocol", "GET /x ICAP/1.1"),
    line(505, "version 2.0", "GET /x HTTP/2.0"),
    line(505, "version 1.2", "GET /x HTTP/1.2"),
    line(505, "version 0.9", "GET /x HTTP/0.9"),
    HostileRequest(505, "preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    line(400, "absolute-form", "GET http://a/x HTTP/1.1"),
    line(400, "absolute-form of https", "GET https://internal.example/x HTTP/1.1"),
    line(400, "path without a slash", "GET x HTTP/1.1"),
    line(400, "asterisk for GET", "GET * HTTP/1.1"),
    line(400, "percent sign first", "GET %2Fx HTTP/1.1"),
    line(405, "CONNECT", "CONNECT internal.example:443 HTTP/1.1"),
    line(405, "TRACE", "TRACE /x HTTP/1.1"),
    line(405, "POST without a body", "POST /x HTTP/1.1"),
    line(405, "DELETE", "DELETE /x HTTP/1.1"),
    line(405, "unknown method", "BREW /x HTTP/1.1"),
    line(405, "method in small letters", "get /x HTTP/1.1"),
    HostileRequest(
      400, "target that is not UTF-8", Array("GET /".utf8) + [0xC3, 0x28] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
    HostileRequest(
      400, "target with a long form of a slash",
      Array("GET /".utf8) + [0xC0, 0xAF] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
    HostileRequest(
      400, "target with half a pair",
      Array("GET /".utf8) + [0xED, 0xA0, 0x80] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
    HostileRequest(400, "beginning of TLS", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]),
    HostileRequest(400, "two empty lines first", "\r\n\r\n" + next),
  ]

  static let ends = [
    HostileRequest(400, "LF alone after the line", "GET /x HTTP/1.1\nHost: a\r\n\r\n"),
    HostileRequest(400, "LF alone after a field", "GET /x HTTP/1.1\r\nHost: a\n\r\n"),
    HostileRequest(400, "LF alone at the end", "GET /x HTTP/1.1\r\nHost: a\r\n\n"),
    HostileRequest(400, "LF alone everywhere", "GET /x HTTP/1.1\nHost: a\n\n"),
    HostileRequest(400, "CR alone after the line", "GET /x HTTP/1.1\rHost: a\r\n\r\n"),
    HostileRequest(400, "CR alone in a value", "GET /x HTTP/1.1\r\nHost: a\r\nX: a\rY: b\r\n\r\n"),
    HostileRequest(400, "CR in the target", "GET /a\rb HTTP/1.1\r\nHost: a\r\n\r\n"),
    HostileRequest(400, "two CR before LF", "GET /x HTTP/1.1\r\r\nHost: a\r\n\r\n"),
    HostileRequest(400, "empty line with CR alone", "GET /x HTTP/1.1\r\nHost: a\r\n\rGET"),
    HostileRequest(400, "null in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"),
    HostileRequest(400, "null in a name", "GET /x HTTP/1.1\r\nHost: a\r\nX\0Y: b\r\n\r\n"),
    HostileRequest(400, "null in a value", "GET /x HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"),
    HostileRequest(400, "escape in a value", "GET /x HTTP/1.1\r\nHost: a\r\nX: \u{1B}[2J\r\n\r\n"),
    HostileRequest(400, "delete in a value", "GET /x HTTP/1.1\r\nHost: a\r\nX: a\u{7F}\r\n\r\n"),
    HostileRequest(400, "escape in the target", "GET /\u{1B}[2J HTTP/1.1\r\nHost: a\r\n\r\n"),
  ]

  static let hosts = [
    HostileRequest(400, "no host", "GET /x HTTP/1.1\r\n\r\n"),
    HostileRequest(400, "no host among fields", "GET /x HTTP/1.1\r\nAccept: */*\r\n\r\n"),
    HostileRequest(400, "two hosts", "GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    HostileRequest(400, "the same host twice", "GET /x HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"),
    HostileRequest(400, "two hosts in HTTP/1.0", "GET /x HTTP/1.0\r\nHost: a\r\nHOST: b\r\n\r\n"),
    HostileRequest(400, "host with a user", "GET /x HTTP/1.1\r\nHost: a@b\r\n\r\n"),
    HostileRequest(400, "host with a path", "GET /x HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    HostileRequest(400, "host with a space", "GET /x HTTP/1.1\r\nHost: a b\r\n\r\n"),
    HostileRequest(400, "host beyond ASCII", "GET /x HTTP/1.1\r\nHost: ä\r\n\r\n"),
  ]

  static let fields = [
    field(400, "continued with a space", "X: a\r\n b"),
    field(400, "continued with a tab", "X: a\r\n\tb"),
    HostileRequest(400, "first field continued", "GET /x HTTP/1.1\r\n Host: a\r\n\r\n"),
    HostileRequest(400, "host continued", "GET /x HTTP/1.1\r\nHost:\r\n a\r\n\r\n"),
    field(400, "space before the colon", "X : a"),
    field(400, "tab before the colon", "X\t: a"),
    field(400, "space in a name", "X Y: a"),
    field(400, "empty name", ": a"),
    field(400, "no colon", "X"),
    field(400, "name that is no token", "X(Y): a"),
    HostileRequest(400, "name beyond ASCII", "GET /x HTTP/1.1\r\nHost: a\r\nÄ: a\r\n\r\n"),
    HostileRequest(
      400, "value that is not UTF-8", Array("GET /x HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xE4] + Array("\r\n\r\n".utf8)),
    field(417, "unknown expectation", "Expect: a-miracle"),
    field(417, "two expectations", "Expect: 100-continue\r\nExpect: more"),
  ]

  static let bodies = [
    field(413, "body", "Content-Length: 3", method: "POST"),
    field(413, "body of GET", "Content-Length: 3"),
    field(413, "body of HEAD", "Content-Length: 3", method: "HEAD"),
    field(413, "body that is waited for", "Content-Length: 3\r\nExpect: 100-continue", method: "POST"),
    field(413, "body beyond any number", "Content-Length: 99999999999999999999999999", method: "POST"),
    field(413, "length with zeros", "Content-Length: 0000000000000000000001", method: "POST"),
    field(400, "two lengths", "Content-Length: 3\r\nContent-Length: 30", method: "POST"),
    field(400, "the same length twice", "Content-Length: 0\r\nContent-Length: 0"),
    field(400, "length of zero and a length", "Content-Length: 0\r\nContent-Length: 35", method: "POST"),
    field(400, "list of lengths", "Content-Length: 0, 0"),
    field(400, "length with a sign", "Content-Length: +0"),
    field(400, "negative length", "Content-Length: -1"),
    field(400, "length in hexadecimal", "Content-Length: 0x0"),
    field(400, "empty length", "Content-Length:"),
    field(400, "length with a blank", "Content-Length: 0 0"),
    field(413, "chunked", "Transfer-Encoding: chunked", method: "POST"),
    field(413, "chunked GET", "Transfer-Encoding: chunked"),
    field(413, "chunks that are waited for", "Transfer-Encoding: chunked\r\nExpect: 100-continue", method: "PUT"),
    field(400, "chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", method: "POST"),
    field(400, "a list of codings", "Transfer-Encoding: gzip, chunked", method: "POST"),
    field(400, "chunked beside no length", "Transfer-Encoding: chunked\r\nContent-Length: 0", method: "POST"),
    HostileRequest(400, "chunked in HTTP/1.0", "POST /x HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"),
    field(400, "chunked and a length", "Content-Length: 3\r\nTransfer-Encoding: chunked", method: "POST"),
    field(400, "a length and chunked", "Transfer-Encoding: chunked\r\nContent-Length: 3", method: "POST"),
    field(400, "identity", "Transfer-Encoding: identity"),
    field(400, "unknown coding", "Transfer-Encoding: xchunked"),
    field(400, "empty coding", "Transfer-Encoding:"),
    field(413, "chunked behind a tab", "Transfer-Encoding:\tchunked"),
    field(413, "chunked in other letters", "tRANSFER-eNCODING: Chunked"),
    field(400, "chunked with a space before the colon", "Transfer-Encoding : chunked"),
    HostileRequest(
      413, "a head in a body", "GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: \(next.utf8.count)\r\n\r\n" + next),
    HostileRequest(
      413, "a head behind chunks", "GET /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + next),
    HostileRequest(
      400, "a head behind two lengths",
      "GET /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 35\r\n\r\n" + next),
  ]

  static let large = [
    HostileRequest(414, "long target", "GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
    HostileRequest(414, "target without end", "GET /" + String(repeating: "a", count: 70_000)),
    HostileRequest(400, "line without a space", String(repeating: "a", count: 20_000)),
    HostileRequest(
      431, "large field", "GET /x HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 20_000) + "\r\n\r\n"),
    HostileRequest(
      431, "field without end", "GET /x HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 70_000)),
    HostileRequest(
      431, "many fields", "GET /x HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 100) + "\r\n"),
    HostileRequest(
      431, "fields without end", "GET /x HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 10_000)),
  ]
}
