/// Finds the tags in the bytes of a page, one after another.
struct TagScanner {
  /// A tag with its attributes; names are in lower case, and that of an end begins with a slash.
  struct Tag {
    var name: String
    var attributes: [String: String] = [:]
  }

  private let bytes: [UInt8]
  private var place = 0

  /// Elements whose content is text.
  private static let texts: Set = ["script", "style", "title", "template", "textarea", "noscript"]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> Tag? {
    while let open = find("<", from: place) {
      place = open + 1
      if has("!--") {
        place = find("-->", from: place + 3).map { $0 + 3 } ?? bytes.count
        continue
      }
      guard let first = byte, Self.isLetter(first) || first == UInt8(ascii: "/") else { continue }
      guard let tag = readTag() else { return nil }
      if Self.texts.contains(tag.name) { place = findEnd(of: tag.name) ?? bytes.count }
      return tag
    }
    return nil
  }

  // MARK: Tags

  private mutating func readTag() -> Tag? {
    let begin = place
    if byte == UInt8(ascii: "/") { place += 1 }
    while let byte, !Self.isBlank(byte), byte != UInt8(ascii: ">"), byte != UInt8(ascii: "/") { place += 1 }
    var tag = Tag(name: text(begin..<place).lowercased())
    while true {
      while let byte, Self.isBlank(byte) || byte == UInt8(ascii: "/") { place += 1 }
      // A tag that is cut off by the end counts for nothing.
      guard let byte else { return nil }
      if byte == UInt8(ascii: ">") {
        place += 1
        return tag
      }
      let (name, value) = readAttribute()
      if tag.attributes[name] == nil { tag.attributes[name] = value }
    }
  }

  private mutating func readAttribute() -> (name: String, value: String) {
    let begin = place
    place += 1
    while let byte, !Self.isBlank(byte), !"=>/".utf8.contains(byte) { place += 1 }
    let name = text(begin..<place).lowercased()
    let end = place
    skipBlanks()
    guard byte == UInt8(ascii: "=") else {
      place = end
      return (name, "")
    }
    place += 1
    skipBlanks()
    guard let quote = byte, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      let begin = place
      while let byte, !Self.isBlank(byte), byte != UInt8(ascii: ">") { place += 1 }
      return (name, HTMLEntities.resolved(text(begin..<place)))
    }
    let value = place + 1
    place = bytes[value...].firstIndex(of: quote) ?? bytes.count
    defer { place = min(place + 1, bytes.count) }
    return (name, HTMLEntities.resolved(text(value..<place)))
  }

  // MARK: Bytes

  private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipBlanks() { while let byte, Self.isBlank(byte) { place += 1 } }

  private func has(_ word: String) -> Bool { bytes[place...].starts(with: word.utf8) }

  private func find(_ word: String, from start: Int) -> Int? {
    guard start < bytes.count, let first = word.utf8.first else { return nil }
    var place = start
    while let found = bytes[place...].firstIndex(of: first) {
      if bytes[found...].starts(with: word.utf8) { return found }
      place = found + 1
    }
    return nil
  }

  /// The place of the end tag of an element whose content is text.
  private func findEnd(of name: String) -> Int? {
    var start = place
    while let found = find("</", from: start) {
      let word = bytes[(found + 2)...].prefix(name.utf8.count)
      if text(word.startIndex..<word.endIndex).lowercased() == name { return found }
      start = found + 2
    }
    return nil
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }
}
