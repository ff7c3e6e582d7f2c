import EaselCore
import EaselSupport
import EaselTransformers

/// The arguments of one option in a URL, and the errors about them.
struct OptionArguments {
  let option: String
  /// The arguments as they were sent; an empty one was left out.
  let values: [Substring]
  /// The arguments that the option takes, for errors.
  let usage: String

  private static let longestShown = 40

  var count: Int { values.count }

  /// An argument; nil if it was left out.
  subscript(index: Int) -> Substring? {
    values.indices.contains(index) && !values[index].isEmpty ? values[index] : nil
  }

  func dropFirst(_ count: Int) -> OptionArguments {
    OptionArguments(option: option, values: Array(values.dropFirst(count)), usage: usage)
  }

  /// The error about an argument that makes no sense.
  func wrong(_ value: Substring?, _ rule: String) -> ServiceError {
    let shown = String(String.UnicodeScalarView((value ?? "").unicodeScalars.prefix(Self.longestShown)))
    let form = usage.isEmpty ? option : "\(option):\(usage)"
    return ServiceError(400, "The option \(option) takes \(rule), not '\(shown)'; write it as \(form).")
  }

  func requireAtMost(_ most: Int) throws(ServiceError) {
    guard count <= most else { throw wrong(values[most], most == 1 ? "one argument" : "at most \(most) arguments") }
  }

  // MARK: Values

  func flag(_ index: Int) throws(ServiceError) -> Bool? {
    guard let text = self[index] else { return nil }
    switch text {
    case "1", "t", "T", "true", "True", "TRUE": return true
    case "0", "f", "F", "false", "False", "FALSE": return false
    default: throw wrong(text, "1 or 0")
    }
  }

  func integer(_ index: Int, _ range: ClosedRange<Int> = 0...1_000_000_000) throws(ServiceError) -> Int? {
    guard let text = self[index] else { return nil }
    guard text.utf8.count <= 20, let value = Int(text), text.utf8.first != UInt8(ascii: "+"), range.contains(value)
    else { throw wrong(text, "a whole number from \(range.lowerBound) to \(range.upperBound)") }
    return value
  }

  func number(_ index: Int, _ range: ClosedRange<Double>) throws(ServiceError) -> Double? {
    guard let text = self[index] else { return nil }
    guard text.utf8.count <= 24, text.utf8.allSatisfy(Self.isInNumber), let value = Double(text), range.contains(value)
    else { throw wrong(text, "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))") }
    return value == 0 ? 0 : value
  }

  /// Letters would let names such as `nan` and exponents such as `1e308` pass.
  private static func isInNumber(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }

  private static func plain(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  /// A length: pixels from 1 on, and shares below.
  func length(
    _ index: Int, least: Double = 0, rounded rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
  ) throws(ServiceError) -> TransformerPipeline.Length? {
    guard let value = try number(index, least...1_000_000_000) else { return nil }
    return abs(value) < 1 && value != 0 ? .share(value) : .pixels(Int(value.rounded(rule)))
  }

  /// A colour: three numbers of which this is the first, or six or three hexadecimal digits.
  func color(_ index: Int) throws(ServiceError) -> PixelColor? {
    guard let text = self[index] else { return nil }
    if let color = PixelColor(hexadecimal: text) { return color }
    throw wrong(text, "a colour such as ff8800")
  }

  /// Text that is encoded like sources in base64 for URLs.
  func encodedText(_ index: Int) throws(ServiceError) -> String? {
    guard let text = self[index] else { return nil }
    guard let decoded = Base64URL.decoded(text).flatMap({ String(validating: $0, as: UTF8.self) }), !decoded.isEmpty
    else { throw wrong(text, "text in base64 for URLs") }
    return decoded
  }

  /// A place with offsets: all arguments from this one on.
  func gravity(_ index: Int, allowsSmart: Bool = true) throws(ServiceError) -> TransformerPipeline.Gravity? {
    guard let name = self[index] else { return nil }
    if name == "sm" {
      guard allowsSmart, count == index + 1 else {
        throw wrong(name, allowsSmart ? "no offsets with sm" : "a place other than sm")
      }
      return .smart
    }
    if name == "fp" {
      guard count <= index + 3 else { throw wrong(values[index + 3], "two shares after fp") }
      return .focalPoint(x: try number(index + 1, 0...1) ?? 0.5, y: try number(index + 2, 0...1) ?? 0.5)
    }
    guard let place = Self.places[String(name)] else {
      throw wrong(name, "one of no, so, ea, we, noea, nowe, soea, sowe, ce, sm and fp:x:y")
    }
    guard count <= index + 3 else { throw wrong(values[index + 3], "two offsets") }
    return place.inset(
      x: try length(index + 1, least: -1_000_000_000) ?? .pixels(0),
      y: try length(index + 2, least: -1_000_000_000) ?? .pixels(0))
  }

  static let places: [String: TransformerPipeline.Gravity] = [
    "no": .north, "so": .south, "ea": .east, "we": .west, "noea": .northEast, "nowe": .northWest, "soea": .southEast,
    "sowe": .southWest, "ce": .center,
  ]
}

extension PixelColor {
  /// A colour of three or six hexadecimal digits; nil for other texts.
  init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.map { $0 }
    guard digits.count == 3 || digits.count == 6,
      digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }), let value = UInt32(text, radix: 16)
    else { return nil }
    func byte(_ shift: UInt32) -> UInt8 {
      if digits.count == 6 { return UInt8(truncatingIfNeeded: value >> (2 * shift)) }
      return UInt8(truncatingIfNeeded: value >> shift & 15) * 17
    }
    self.init(red: byte(8), green: byte(4), blue: byte(0))
  }
}
