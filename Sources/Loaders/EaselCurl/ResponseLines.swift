import EaselCore

/// The head of a response, read from its lines.
struct ResponseLines {
  let status: Int
  let headers: HTTPHeaders

  /// Nil when the first line states no status.
  init?(_ bytes: [UInt8]) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)[...]
    guard let first = lines.popFirst(), let status = Self.status(in: first) else { return nil }
    self.status = status
    var headers = HTTPHeaders()
    var name = ""
    var value: [UInt8] = []
    for line in lines {
      let text = Self.trimmed(line)
      if let start = line.first, start == UInt8(ascii: " ") || start == UInt8(ascii: "\t") {
        // A folded line goes on with the value before.
        if !text.isEmpty { value += [UInt8(ascii: " ")] + text }
        continue
      }
      if !name.isEmpty { headers.add(name, String(decoding: value, as: UTF8.self)) }
      name = ""
      guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { continue }
      name = String(decoding: Self.trimmed(text[..<colon]), as: UTF8.self)
      value = Array(Self.trimmed(text[(colon + 1)...]))
    }
    if !name.isEmpty { headers.add(name, String(decoding: value, as: UTF8.self)) }
    self.headers = headers
  }

  /// The length of the body as it will be delivered; nil when it is not stated, or stated for the packed bytes.
  var length: Int? {
    guard !isPacked, headers["Transfer-Encoding"] == nil else { return nil }
    return headers.values(of: "Content-Length").first.flatMap { Int($0) }
  }

  /// What the server says that it sends, packed or not.
  var announcedLength: Int? { headers.values(of: "Content-Length").first.flatMap { Int($0) } }

  var isPacked: Bool {
    guard let encoding = headers["Content-Encoding"] else { return false }
    return !encoding.isEmpty && !["identity", "none"].contains(encoding.lowercased())
  }

  var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) && headers["Location"] != nil }

  private static func status(in line: ArraySlice<UInt8>) -> Int? {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2, words[0].starts(with: Array("HTTP/".utf8)) else { return nil }
    return Int(String(decoding: trimmed(words[1]), as: UTF8.self))
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
    var rest = bytes
    while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
    while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
    return rest
  }
}
