import FoundationEssentials

/// Finds the server in usual URLs, much faster than a URL parser.
enum HostParser {
  /// The host in lower case, with the port if it is stated; nil when scheme, host or port have an unusual form.
  static func server(in url: String) -> String? {
    var url = url
    return url.withUTF8 { text in
      guard let start = startOfServer(text) else { return nil }
      var end = start
      while end < text.count, isPlain(text[end]) { end += 1 }
      guard end > start, let afterPort = endOfPort(end, of: text) else { return nil }
      // A colon without a port has no meaning.
      if afterPort > end + 1 { end = afterPort }
      return String(decoding: text[start..<end], as: UTF8.self)
    }
  }

  private static func startOfServer(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    if text.starts(with: "http://".utf8) { return 7 }
    return text.starts(with: "https://".utf8) ? 8 : nil
  }

  /// The end of the port that may begin at `place`; nil when the host does not end there.
  ///
  /// A colon that is not followed by a port may belong to a password.
  private static func endOfPort(_ place: Int, of text: UnsafeBufferPointer<UInt8>) -> Int? {
    var place = place
    if place < text.count, text[place] == UInt8(ascii: ":") {
      place += 1
      while place < text.count, isDigit(text[place]) { place += 1 }
    }
    let isEnd = place == text.count || [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(text[place])
    return isEnd ? place : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte) || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "-")
  }
}

extension URL {
  /// The host in lower case, with the port if it is stated.
  var serverName: String? {
    guard let host = host()?.lowercased(), !host.isEmpty else { return nil }
    return host + (port.map { ":\($0)" } ?? "")
  }
}
