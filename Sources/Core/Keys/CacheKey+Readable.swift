extension CacheKey {
  /// The key as text for logs and listings: the suffixes stand before the extension of the last path segment.
  ///
  /// The text is never parsed back into a key, because a URL may contain text that looks like a suffix.
  public var readable: String {
    let text = suffixes.isEmpty ? original : Self.insert(suffixes.map(\.text).joined(separator: "-"), into: original)
    return scope.isEmpty ? text : "\(text)@\(scope.digits)"
  }

  private static func insert(_ suffix: String, into original: String) -> String {
    let bytes = Array(original.utf8)
    let position = insertionPoint(bytes)
    return String(decoding: bytes[..<position] + Array("-\(suffix)".utf8) + bytes[position...], as: UTF8.self)
  }

  /// The position of the last dot in the last path segment if there is text on both sides, else the end of the path.
  private static func insertionPoint(_ bytes: [UInt8]) -> Int {
    let pathStart = endOfAuthority(bytes)
    let pathEnd = bytes[pathStart...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
    let path = bytes[pathStart..<pathEnd]
    let segmentStart = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? pathStart
    // A host without a path has dots too, but no extension.
    let hasSegment = pathStart == 0 || segmentStart > pathStart
    let segment = bytes[segmentStart..<pathEnd]
    guard hasSegment, let dot = segment.lastIndex(of: UInt8(ascii: ".")) else { return pathEnd }
    return dot > segmentStart && dot + 1 < pathEnd ? dot : pathEnd
  }

  /// The end of scheme and authority; 0 for a text without them.
  private static func endOfAuthority(_ bytes: [UInt8]) -> Int {
    let separator = Array("://".utf8)
    guard
      let colon = bytes.firstIndex(where: { !isSchemeCharacter($0) }), colon > 0,
      bytes[colon...].starts(with: separator)
    else { return 0 }
    let start = colon + separator.count
    let delimiters = Array("/?#".utf8)
    return bytes[start...].firstIndex { delimiters.contains($0) } ?? bytes.count
  }

  private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }
}
