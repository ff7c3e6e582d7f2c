import Testing

/// The bytes of a head, with a name for messages.
struct HeadSample: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  /// The target that is read from them.
  let target: String

  init(_ name: String, _ bytes: [UInt8], target: String = "") {
    self.name = name
    self.bytes = bytes
    self.target = target
  }

  init(_ name: String, _ text: String, target: String = "/") { self.init(name, Array(text.utf8), target: target) }

  var testDescription: String { name }

  /// Heads that every listener must accept, and their targets.
  static let accepted = [
    HeadSample("shortest", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
    HeadSample("HTTP/1.0 without a host", "GET /old HTTP/1.0\r\n\r\n", target: "/old"),
    HeadSample("empty line before it", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    HeadSample("HEAD", "HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n", target: "/a"),
    HeadSample("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", target: "*"),
    HeadSample("OPTIONS of a path", "OPTIONS /a HTTP/1.1\r\nHost: a\r\n\r\n", target: "/a"),
    HeadSample("no length", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"),
    HeadSample("no length in two digits", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 00\r\n\r\n"),
    HeadSample("expects to go on", "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n"),
    HeadSample("no blank after the colon", "GET / HTTP/1.1\r\nHost:a\r\nX:y\r\n\r\n"),
    HeadSample("blanks and tabs around a value", "GET / HTTP/1.1\r\nHost: \t a \t \r\n\r\n"),
    HeadSample("IPv6", "GET / HTTP/1.1\r\nHost: [2001:db8::1]:8080\r\n\r\n"),
    HeadSample(
      "two slashes", "GET //evil.example/%2e%2E?a=/../ HTTP/1.1\r\nHost: a\r\n\r\n",
      target: "//evil.example/%2e%2E?a=/../"),
    HeadSample("UTF-8", "GET /ä/絵.png HTTP/1.1\r\nHost: a\r\nX: é\r\n\r\n", target: "/ä/絵.png"),
    HeadSample("odd but visible", "GET /<>\"{}|\\^`#[] HTTP/1.1\r\nHost: a\r\n\r\n", target: "/<>\"{}|\\^`#[]"),
    HeadSample("upgrade is ignored", "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
    HeadSample("the same field often", "GET / HTTP/1.1\r\nHost: a\r\nAccept: a\r\nAccept: b\r\nAccept: c\r\n\r\n"),
    HeadSample(
      "names like those that matter",
      "GET / HTTP/1.1\r\nHost: a\r\nHosts: b\r\nX-Host: c\r\nContent-Lengths: 5\r\nTransfer-Encodings: chunked\r\n\r\n"),
    HeadSample(
      "long target", "GET /" + String(repeating: "a", count: 8191) + " HTTP/1.1\r\nHost: a\r\n\r\n",
      target: "/" + String(repeating: "a", count: 8191)),
    HeadSample("large head", "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "b", count: 16_000) + "\r\n\r\n"),
  ]
}
