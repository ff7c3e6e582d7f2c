/// Reads the tokens of an XML document in UTF-8, as far as drawings need them.
///
/// It knows no entities but those of XML itself, so that no document can grow, and skips everything that declares others.
package struct XMLReader {
  package enum Token: Equatable {
    case start(name: String, attributes: [(name: String, value: String)], isEmpty: Bool)
    case end(name: String)
    case text(String)

    package static func == (one: Token, other: Token) -> Bool {
      switch (one, other) {
      case (.start(let name, let attributes, let isEmpty), .start(let otherName, let others, let isOtherEmpty)):
        name == otherName && isEmpty == isOtherEmpty && attributes.elementsEqual(others, by: ==)
      case (.end(let name), .end(let other)): name == other
      case (.text(let text), .text(let other)): text == other
      default: false
      }
    }
  }

  /// The document is no XML that is understood here.
  package struct Malformed: Error {
    /// The byte at which reading ended.
    package let offset: Int
  }

  private let bytes: [UInt8]
  private var index = 0

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// The next token; nil at the end.
  package mutating func next() throws(Malformed) -> Token? {
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "<") else { return .text(try text(until: UInt8(ascii: "<"))) }
      if skip("<!--") {
        try move(behind: "-->")
      } else if skip("<![CDATA[") {
        let start = index
        try move(behind: "]]>")
        return .text(try string(bytes[start..<(index - 3)]))
      } else if skip("<?") {
        try move(behind: "?>")
      } else if skip("<!DOCTYPE") {
        try skipDeclaration()
      } else if skip("</") {
        let name = try name()
        skipBlanks()
        guard skip(">") else { throw malformed }
        return .end(name: name)
      } else {
        index += 1
        return try start()
      }
    }
    return nil
  }

  private var malformed: Malformed { Malformed(offset: index) }

  // MARK: Tags

  private mutating func start() throws(Malformed) -> Token {
    let name = try name()
    var attributes: [(name: String, value: String)] = []
    while true {
      let start = index
      skipBlanks()
      if skip("/>") { return .start(name: name, attributes: attributes, isEmpty: true) }
      if skip(">") { return .start(name: name, attributes: attributes, isEmpty: false) }
      guard index > start, attributes.count < Self.mostAttributes else { throw malformed }
      let attribute = try self.name()
      skipBlanks()
      guard skip("=") else { throw malformed }
      skipBlanks()
      guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") else {
        throw malformed
      }
      let quote = bytes[index]
      index += 1
      let value = try text(until: quote)
      guard index < bytes.count, !attributes.contains(where: { $0.name == attribute }) else { throw malformed }
      index += 1
      attributes.append((attribute, value))
    }
  }

  private static let mostAttributes = 200

  private mutating func name() throws(Malformed) -> String {
    let start = index
    while index < bytes.count, Self.isInName(bytes[index]) { index += 1 }
    guard index > start, index - start <= 100 else { throw malformed }
    return try string(bytes[start..<index])
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"),
      UInt8(ascii: "."), 0x80...0xFF:
      true
    default: false
    }
  }

  /// Skips a document type with what it declares.
  private mutating func skipDeclaration() throws(Malformed) {
    var depth = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let quote = bytes[index]
        guard let end = bytes[(index + 1)...].firstIndex(of: quote) else { throw malformed }
        index = end
      case UInt8(ascii: ">") where depth <= 0:
        index += 1
        return
      default: break
      }
      index += 1
    }
    throw malformed
  }

  // MARK: Texts

  /// The text up to a byte, with its entities replaced.
  private mutating func text(until end: UInt8) throws(Malformed) -> String {
    var text: [UInt8] = []
    while index < bytes.count, bytes[index] != end {
      let byte = bytes[index]
      if byte == UInt8(ascii: "&") {
        text += try entity()
        continue
      }
      // Within a tag, a bracket is a mistake.
      guard byte != UInt8(ascii: "<") else { throw malformed }
      text.append(byte)
      index += 1
    }
    return try string(text[...])
  }

  private mutating func entity() throws(Malformed) -> [UInt8] {
    guard let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { throw malformed }
    let name = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
    defer { index = end + 1 }
    switch name {
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "amp": return [UInt8(ascii: "&")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default:
      let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
      guard name.hasPrefix("#"), let number = UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10),
        number >= 0x20 || [9, 10, 13].contains(number), let scalar = Unicode.Scalar(number)
      else { throw malformed }
      return Array(String(scalar).utf8)
    }
  }

  private func string(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
    guard !bytes.contains(where: { $0 < 0x20 && ![9, 10, 13].contains($0) }),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw malformed }
    return text
  }

  // MARK: Moving

  private mutating func skip(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { wanted in
      guard bytes.count - index >= wanted.count,
        bytes[index..<(index + wanted.count)].elementsEqual(wanted)
      else { return false }
      index += wanted.count
      return true
    }
  }

  private mutating func move(behind text: StaticString) throws(Malformed) {
    while index < bytes.count {
      if skip(text) { return }
      index += 1
    }
    throw malformed
  }

  private mutating func skipBlanks() {
    while index < bytes.count, [9, 10, 13, 32].contains(bytes[index]) { index += 1 }
  }
}
