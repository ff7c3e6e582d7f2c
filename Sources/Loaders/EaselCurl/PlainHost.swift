/// Finds the host in URLs of the usual form, much faster than a URL parser.
enum PlainHost {
  /// The host in lower case; nil when scheme, host or port have an unusual form.
  static func name(in url: String) -> String? {
    var url = url
    return url.withUTF8 { text in
      guard let start = startOfServer(text) else { return nil }
      var end = start
      while end < text.count, isPlain(text[end]) { end += 1 }
      guard end > start, isEnd(end, of: text) else { return nil }
      return String(decoding: text[start..<end], as: UTF8.self)
    }
  }

  private static func startOfServer(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    if text.starts(with: "http://".utf8) { return 7 }
    return text.starts(with: "https://".utf8) ? 8 : nil
  }

  /// True when the host ends at `place`, where a port may follow.
  ///
  /// A colon without a port may belong to a password.
  private static func isEnd(_ place: Int, of text: UnsafeBufferPointer<UInt8>) -> Bool {
    var place = place
    if place < text.count, text[place] == UInt8(ascii: ":") {
      place += 1
      while place < text.count, isDigit(text[place]) { place += 1 }
    }
    return place == text.count || [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(text[place])
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte) || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "-")
  }
}
