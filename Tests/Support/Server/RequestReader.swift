import EaselCore

/// Parses the requests of a connection.
struct RequestReader {
  private static let mostHeadBytes = 4 << 20
  private static let mostBodyBytes = 256 << 20

  private let socket: ServerSocket
  private var pending: [UInt8] = []

  init(_ socket: ServerSocket) { self.socket = socket }

  /// The next request; nil when the client has left or sends something else.
  mutating func next() -> ServerRequest? {
    guard let head = line(endingWith: [13, 10, 13, 10], atMost: Self.mostHeadBytes) else { return nil }
    guard var request = Self.parse(head) else { return nil }
    if HTTPHeaders.isToken("100-continue", in: request.headers["Expect"]) {
      guard socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
    }
    if HTTPHeaders.isToken("chunked", in: request.headers["Transfer-Encoding"]) {
      guard let body = chunks() else { return nil }
      request.body = body
    } else if let length = request.headers["Content-Length"] {
      guard let count = Int(length), (0...Self.mostBodyBytes).contains(count), let body = take(count) else {
        return nil
      }
      request.body = body
    }
    return request
  }

  private static func parse(_ head: [UInt8]) -> ServerRequest? {
    let ends: [UInt8] = [13, 10]
    var lines = head.split { ends.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    guard !lines.isEmpty else { return nil }
    let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/") else { return nil }
    var headers = HTTPHeaders()
    for line in lines {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let value = line[line.utf8.index(after: colon)...]
      headers.add(String(line[..<colon]), HTTPHeaders.trimmed(value))
    }
    return ServerRequest(
      method: String(words[0]), target: String(words[1]), version: String(words[2]), headers: headers)
  }

  private mutating func chunks() -> [UInt8]? {
    var body: [UInt8] = []
    while let line = line(endingWith: [13, 10], atMost: 1024) {
      let digits = String(decoding: line.dropLast(2).prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
      guard let count = Int(digits, radix: 16), (0...Self.mostBodyBytes - body.count).contains(count) else {
        return nil
      }
      guard count > 0 else { return self.line(endingWith: [13, 10], atMost: 1024) == nil ? nil : body }
      guard let chunk = take(count + 2) else { return nil }
      body += chunk.dropLast(2)
    }
    return nil
  }

  /// The bytes up to and including `end`.
  private mutating func line(endingWith end: [UInt8], atMost limit: Int) -> [UInt8]? {
    var searched = 0
    while true {
      let last = pending.count - end.count
      while searched <= last {
        if pending[searched] == end[0], pending[searched..<searched + end.count].elementsEqual(end) {
          return take(searched + end.count)
        }
        searched += 1
      }
      guard pending.count < limit, receiveMore() else { return nil }
    }
  }

  private mutating func take(_ count: Int) -> [UInt8]? {
    while pending.count < count { guard receiveMore() else { return nil } }
    defer { pending.removeFirst(count) }
    return Array(pending.prefix(count))
  }

  private mutating func receiveMore() -> Bool {
    let more = socket.receive()
    pending += more
    return !more.isEmpty
  }
}

extension HTTPHeaders {
  /// True when a list such as `gzip, chunked` contains a token, ignoring case.
  static func isToken(_ token: String, in list: String?) -> Bool {
    (list ?? "").split(separator: ",").contains { trimmed($0).lowercased() == token }
  }

  static func trimmed(_ text: Substring) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    var rest = text.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return String(rest)
  }
}
