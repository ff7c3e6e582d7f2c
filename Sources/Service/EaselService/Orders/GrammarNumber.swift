/// Numbers as they stand in URLs: digits, and a point in those with a fraction.
enum GrammarNumber {
  private static let mostDigits = 20

  /// A whole number within a range; nil for other texts.
  static func whole(_ text: some StringProtocol, _ range: ClosedRange<Int>) -> Int? {
    guard (1...mostDigits).contains(text.utf8.count), text.utf8.allSatisfy(isDigit), let value = Int(text),
      range.contains(value)
    else { return nil }
    return value
  }

  /// A number within a range; nil for other texts, such as those with a sign or an exponent.
  static func decimal(_ text: some StringProtocol, _ range: ClosedRange<Double>) -> Double? {
    guard (1...mostDigits).contains(text.utf8.count), text.utf8.contains(where: isDigit),
      text.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }), let value = Double(text), range.contains(value)
    else { return nil }
    return value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
