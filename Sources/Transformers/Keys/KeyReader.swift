import EaselCore

/// Reads the parts of a key from left to right; its errors give the position and the expected text.
struct KeyReader {
  private let bytes: [UInt8]
  private(set) var position = 0
  /// How many pipelines of layers are around this place.
  var depth = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { position == bytes.count }

  var isAtBrace: Bool { position < bytes.count && bytes[position] == UInt8(ascii: "{") }

  var isAtLetter: Bool { position < bytes.count && Self.isLetter(bytes[position]) }

  /// Skips a character if it comes next; returns false otherwise.
  mutating func skip(_ character: Character) -> Bool {
    guard position < bytes.count, bytes[position] == character.asciiValue else { return false }
    position += 1
    return true
  }

  /// Skips letters if exactly this word comes next; returns false otherwise.
  mutating func skip(word: String) -> Bool {
    let start = position
    if take(while: Self.isLetter) == word { return true }
    position = start
    return false
  }

  mutating func goBack(_ count: Int) { position -= count }

  mutating func expect(_ character: Character) throws(ImageError) {
    guard skip(character) else { throw expected("\"\(character)\"") }
  }

  mutating func name() throws(ImageError) -> String {
    let text = take(while: KeyText.isPlain)
    guard !text.isEmpty else { throw expected("a transformer's name") }
    return text
  }

  mutating func integer() throws(ImageError) -> Int {
    let start = position
    let text = take { $0 == UInt8(ascii: "-") || Self.isDigit($0) }
    guard let value = Int(text) else { throw expected("a whole number", at: start) }
    return value
  }

  mutating func number() throws(ImageError) -> Double {
    let start = position
    let text = take { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") || Self.isDigit($0) }
    guard text.utf8.contains(where: Self.isDigit), let value = Double(text), value.isFinite else {
      throw expected("a number without an exponent", at: start)
    }
    return value
  }

  mutating func boolean() throws(ImageError) -> Bool {
    if skip("1") { return true }
    guard skip("0") else { throw expected("0 or 1") }
    return false
  }

  mutating func color() throws(ImageError) -> PixelColor {
    let start = position
    let isMarked = skip("#")
    let digits = take(while: Self.isHexadecimal)
    guard isMarked, digits.utf8.count == 8, let value = UInt32(digits, radix: 16) else {
      throw expected("a colour as #aarrggbb", at: start)
    }
    return PixelColor(
      red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
      blue: UInt8(truncatingIfNeeded: value), alpha: UInt8(value >> 24))
  }

  /// Reads `count` whole numbers in braces.
  mutating func list(of count: Int) throws(ImageError) -> [Int] {
    try expect("{")
    var values = [try integer()]
    while values.count < count {
      try expect(",")
      values.append(try integer())
    }
    try expect("}")
    return values
  }

  /// Reads `count` numbers in braces.
  mutating func numbers(count: Int) throws(ImageError) -> [Double] {
    try expect("{")
    var values = [try number()]
    while values.count < count {
      try expect(",")
      values.append(try number())
    }
    try expect("}")
    return values
  }

  /// Reads any number of numbers in braces.
  mutating func numbers() throws(ImageError) -> [Double] {
    try expect("{")
    var values = [try number()]
    while skip(",") { values.append(try number()) }
    try expect("}")
    return values
  }

  /// Reads a number of pixels, or a share followed by `s`.
  mutating func length() throws(ImageError) -> TransformerPipeline.Length {
    let start = position
    let share = try number()
    if skip("s") { return .share(share) }
    position = start
    return .pixels(try integer())
  }

  /// Reads two lengths in braces.
  mutating func lengths() throws(ImageError) -> (TransformerPipeline.Length, TransformerPipeline.Length) {
    try expect("{")
    let first = try length()
    try expect(",")
    let second = try length()
    try expect("}")
    return (first, second)
  }

  /// Reads the name of an anchor, a focal point or `sm`, and insets if they follow.
  mutating func gravity() throws(ImageError) -> TransformerPipeline.Gravity {
    let start = position
    let name = take(while: Self.isLetter)
    var gravity = TransformerPipeline.Gravity.center
    if name == "fp" {
      let point = try numbers(count: 2)
      gravity = .focalPoint(x: point[0], y: point[1])
    } else if name == TransformerPipeline.Gravity.smartName {
      gravity = .smart
    } else {
      let names = TransformerPipeline.Gravity.anchorNames
      guard let anchor = names.firstIndex(of: name).flatMap(TransformerPipeline.OverlayAnchor.init) else {
        throw expected("a gravity, one of \(names.joined(separator: ", ")), fp, sm", at: start)
      }
      gravity = TransformerPipeline.Gravity(.anchor(anchor))
    }
    guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else { return gravity }
    let (x, y) = try lengths()
    return gravity.inset(x: x, y: y)
  }

  /// Reads a case of an enumeration by its number.
  mutating func choice<Choice: RawRepresentable & CaseIterable>(
    _ type: Choice.Type, _ what: String
  ) throws(ImageError) -> Choice where Choice.RawValue == Int {
    let start = position
    guard let value = Choice(rawValue: try integer()) else {
      let numbers = type.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
      throw expected("\(what), one of \(numbers)", at: start)
    }
    return value
  }

  /// Reads a name in which special characters are written as `%` and two digits.
  mutating func escapedName() throws(ImageError) -> String {
    var name: [UInt8] = []
    while position < bytes.count {
      if KeyText.isPlain(bytes[position]) {
        name.append(bytes[position])
        position += 1
      } else if bytes[position] == UInt8(ascii: "%") {
        let digits = String(decoding: bytes[(position + 1)...].prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, digits.utf8.allSatisfy(Self.isHexadecimal), let byte = UInt8(digits, radix: 16)
        else { throw expected("two hexadecimal digits", at: position + 1) }
        name.append(byte)
        position += 3
      } else {
        break
      }
    }
    guard !name.isEmpty else { throw expected("the name of a picture") }
    return String(decoding: name, as: UTF8.self)
  }

  func expected(_ what: String, at place: Int? = nil) -> ImageError {
    let place = place ?? position
    let found = place < bytes.count ? "\"\(String(decoding: bytes[place...].prefix(16), as: UTF8.self))\"" : "the end"
    return ImageError(
      .transformFailed, "Transformers: expected \(what) at position \(place), found \(found).",
      subject: String(decoding: bytes, as: UTF8.self))
  }

  private mutating func take(while belongs: (UInt8) -> Bool) -> String {
    let start = position
    while position < bytes.count, belongs(bytes[position]) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  private static func isLetter(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
  }
}
