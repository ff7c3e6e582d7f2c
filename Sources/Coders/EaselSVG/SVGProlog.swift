/// The part of an XML document before its first element: marks, instructions, comments and the document type.
enum SVGProlog: Equatable {
  /// The first element is an SVG.
  case svg
  /// The first element is another element, or the bytes are no XML.
  case other
  /// The bytes end before the first element begins.
  case cut

  /// Looks for the first element.
  init(_ bytes: some Collection<UInt8>) {
    var scanner = Scanner(Self.narrowed(bytes))
    self = scanner.scan()
  }

  /// The bytes of the characters that matter for the search; UTF-16 becomes one byte per character.
  private static func narrowed(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let start = Array(bytes.prefix(4))
    func begins(_ with: [UInt8]) -> Bool { start.starts(with: with) }
    if begins([0xFF, 0xFE]) || begins([0x3C, 0]) { return units(bytes.dropFirst(start[0] == 0xFF ? 2 : 0), high: 1) }
    if begins([0xFE, 0xFF]) || begins([0, 0x3C]) { return units(bytes.dropFirst(start[0] == 0xFE ? 2 : 0), high: 0) }
    return Array(begins([0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes.dropFirst(0))
  }

  private static func units(_ bytes: some Collection<UInt8>, high: Int) -> [UInt8] {
    let all = Array(bytes)
    return stride(from: 0, to: all.count - 1, by: 2).map { all[$0 + high] == 0 ? all[$0 + 1 - high] : 0x80 }
  }

  private struct Scanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func scan() -> SVGProlog {
      while true {
        skip { Self.isBlank($0) }
        guard position < bytes.count else { return position == 0 ? .other : .cut }
        let found: SVGProlog?
        if let next = starts(with: "<?") {
          found = next ? skip(past: "?>") : .cut
        } else if let next = starts(with: "<!--") {
          found = next ? skip(past: "-->") : .cut
        } else if let next = starts(with: "<!DOCTYPE") {
          found = next ? skipDocumentType() : .cut
        } else {
          return element()
        }
        if let found { return found }
      }
    }

    /// The kind of the element at the position.
    private mutating func element() -> SVGProlog {
      guard bytes[position] == UInt8(ascii: "<") else { return .other }
      position += 1
      return isSVG(name())
    }

    /// Finds out if a name, with or without a prefix, is the name of an SVG.
    private func isSVG(_ name: ArraySlice<UInt8>) -> SVGProlog {
      if name.endIndex == bytes.count { return .cut }
      let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
      return local.elementsEqual("svg".utf8) ? .svg : .other
    }

    private mutating func name() -> ArraySlice<UInt8> {
      let start = position
      skip { !Self.isBlank($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "[") }
      return bytes[start..<position]
    }

    /// Skips a document type with its declarations; returns a result if it ends the search.
    private mutating func skipDocumentType() -> SVGProlog? {
      skip { Self.isBlank($0) }
      let kind = isSVG(name())
      guard kind == .svg else { return kind }
      var isInside = false
      while position < bytes.count {
        switch bytes[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          let quote = bytes[position]
          position += 1
          skip { $0 != quote }
        case UInt8(ascii: "["): isInside = true
        case UInt8(ascii: "]"): isInside = false
        case UInt8(ascii: ">") where !isInside:
          position += 1
          return nil
        case UInt8(ascii: "<"):
          // A quote within a comment opens no text.
          guard let isComment = starts(with: "<!--") else { break }
          if let end = isComment ? skip(past: "-->") : .cut { return end }
          continue
        default: break
        }
        position += 1
      }
      return .cut
    }

    /// Moves past a text; returns nil if another text is here, and false if the bytes end too early to tell.
    private mutating func starts(with text: StaticString) -> Bool? {
      let rest = bytes[position...]
      return text.withUTF8Buffer { wanted in
        guard zip(rest, wanted).allSatisfy({ $0 == $1 }) else { return nil }
        guard rest.count >= wanted.count else { return false }
        position += wanted.count
        return true
      }
    }

    private mutating func skip(past text: StaticString) -> SVGProlog? {
      text.withUTF8Buffer { end in
        while position + end.count <= bytes.count {
          if bytes[position..<position + end.count].elementsEqual(end) {
            position += end.count
            return nil
          }
          position += 1
        }
        return .cut
      }
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
      while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }
  }
}
