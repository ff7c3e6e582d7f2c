import EaselSupport

/// Formats numbers for cache keys.
package enum KeyNumber {
  /// The shortest decimal that reads back equal, without an exponent or a trailing `.0`; minus zero becomes `0`.
  ///
  /// Throws for NaN and the infinities, which have no decimal form.
  package static func text(_ value: Double) throws(ImageError) -> String {
    guard value.isFinite else {
      throw ImageError(.transformFailed, "A cache key cannot hold the number \(value).")
    }
    if value == 0 { return "0" }
    return expand(value.description)
  }

  /// `1` for true and `0` for false.
  package static func text(_ value: Bool) -> String { value ? "1" : "0" }

  /// The colour as `#aarrggbb`.
  package static func text(_ color: PixelColor) -> String {
    "#" + hexadecimal([color.alpha, color.red, color.green, color.blue])
  }

  private static func expand(_ shortest: String) -> String {
    let parts = shortest.split(separator: "e", maxSplits: 1)
    let exponent = parts.count == 2 ? Int(parts[1])! : 0
    let isNegative = parts[0].hasPrefix("-")
    let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
    let whole = String(mantissa[0])
    let fraction = mantissa.count == 2 ? String(mantissa[1]) : ""
    let digits = Array(whole + fraction)
    let point = whole.count + exponent
    var text = ""
    if point <= 0 {
      text = "0." + String(repeating: "0", count: -point) + String(digits)
    } else if point >= digits.count {
      text = String(digits) + String(repeating: "0", count: point - digits.count)
    } else {
      text = String(digits[..<point]) + "." + String(digits[point...])
    }
    if text.contains(".") {
      while text.hasSuffix("0") { text.removeLast() }
      if text.hasSuffix(".") { text.removeLast() }
    }
    return (isNegative ? "-" : "") + text
  }
}
