import EaselCore
import EaselTestStudio
import Testing

struct KeyNumberTests {
  private static let spellings: [(Double, String)] = [
    (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (320, "320"), (0.5, "0.5"), (-0.5, "-0.5"), (0.1, "0.1"),
    (1.0 / 3, "0.3333333333333333"), (Double.pi / 4, "0.7853981633974483"), (100, "100"), (1e15, "1000000000000000"),
    (1e16, "10000000000000000"), (1.5e16, "15000000000000000"), (123_456_789.125, "123456789.125"),
    (1e-5, "0.00001"), (-1.25e-7, "-0.000000125"), (1e22, "10000000000000000000000"),
    (9_007_199_254_740_992, "9007199254740992"), (0.1 + 0.2, "0.30000000000000004"),
    (1e300, "1\(zeros(300))"),
    (.leastNonzeroMagnitude, "0.\(zeros(323))5"),
    (-1.7976931348623157e308, "-17976931348623157\(zeros(292))"),
    (2.2250738585072014e-308, "0.\(zeros(307))22250738585072014"),
  ]

  private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

  @Test(arguments: spellings)
  func aNumberIsItsShortestDecimal(value: Double, text: String) throws {
    #expect(try KeyNumber.text(value) == text)
  }

  @Test(arguments: [Double.nan, -.nan, .signalingNaN, .infinity, -.infinity])
  func whatHasNoDecimalIsRefused(value: Double) {
    let error = #expect(throws: ImageError.self) { try KeyNumber.text(value) }
    #expect(error?.code == .transformFailed)
    #expect(error?.message.contains("\(value)") == true)
  }

  @Test func randomNumbersReadBackEqualAndAreSpelledPlainly() throws {
    var random = SeededRandom(seed: 2)
    for _ in 0..<repetitions(200_000, inDebug: 5_000) {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      try check(value)
      // Numbers of everyday size, which are rare among random bits.
      try check(Double(random.below(2_000_001) - 1_000_000) / 1000)
    }
  }

  @Test func everyPowerOfTenAndOfTwoReadsBackEqual() throws {
    for exponent in -1074...1023 { try check(Double(sign: .plus, exponent: exponent, significand: 1)) }
    for exponent in -323...308 { try check(Double("1e\(exponent)") ?? 0) }
  }

  private func check(_ value: Double) throws {
    let text = try KeyNumber.text(value)
    guard Double(text) == value else {
      Issue.record("\(value) is spelled \(text)")
      return
    }
    let digits = Array(text.utf8.drop { $0 == UInt8(ascii: "-") })
    let isPlain = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
    let hasFraction = digits.contains(UInt8(ascii: "."))
    let significant = String(text.filter { $0 != "-" && $0 != "." }.drop { $0 == "0" })
    let isShortest = value == 0 || trimmed(significant).count <= trimmed(digitsOf("\(value)")).count
    if !isPlain || (hasFraction && text.hasSuffix("0")) || text.hasSuffix(".") || !isShortest {
      Issue.record("\(value) is spelled \(text)")
    }
  }

  private func digitsOf(_ description: String) -> String {
    String(description.prefix { $0 != "e" }.filter { $0 != "-" && $0 != "." }.drop { $0 == "0" })
  }

  private func trimmed(_ digits: String) -> Substring {
    var digits = digits[...]
    while digits.last == "0" { digits.removeLast() }
    return digits
  }

  @Test func truthIsOneAndFalsehoodZero() {
    #expect(KeyNumber.text(true) == "1")
    #expect(KeyNumber.text(false) == "0")
  }

  @Test(arguments: [
    (PixelColor.black, "#ff000000"), (.white, "#ffffffff"), (.clear, "#00000000"),
    (PixelColor(red: 0x12, green: 0x34, blue: 0x56, alpha: 0x78), "#78123456"),
    (PixelColor(red: 0x0a, green: 0xbc, blue: 0x0d), "#ff0abc0d"),
  ])
  func aColourIsAlphaRedGreenBlue(color: PixelColor, text: String) {
    #expect(KeyNumber.text(color) == text)
  }
}
