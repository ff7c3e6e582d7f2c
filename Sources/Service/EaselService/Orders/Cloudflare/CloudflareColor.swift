import EaselCore

/// Colours as CSS writes them, as far as URLs have them.
enum CloudflareColor {
  /// A name, hexadecimal digits after a `#`, or `rgb` and `rgba` with numbers in brackets; nil for other texts.
  static func color(_ text: String) -> PixelColor? {
    if text.hasPrefix("#") { return ColorNames.color(String(text.dropFirst())) }
    guard let bracket = text.firstIndex(of: "("), text.hasSuffix(")") else {
      // Digits alone are no colour of CSS.
      return text.utf8.first.map({ (48...57).contains($0) }) == true ? nil : ColorNames.color(text)
    }
    guard ["rgb", "rgba"].contains(HTTPHeaders.folded(String(text[..<bracket]))) else { return nil }
    let parts = text[text.index(after: bracket)...].dropLast().split { ", /".contains($0) }
    guard parts.count == 3 || parts.count == 4 else { return nil }
    let numbers = parts.prefix(3).map { component($0, 255) }
    guard let red = numbers[0], let green = numbers[1], let blue = numbers[2],
      let alpha = parts.count == 4 ? component(parts[3], 1) : 1
    else { return nil }
    return PixelColor(red: byte(red / 255), green: byte(green / 255), blue: byte(blue / 255), alpha: byte(alpha))
  }

  /// A number up to `most`, or a share of it as a percentage.
  private static func component(_ text: Substring, _ most: Double) -> Double? {
    if text.hasSuffix("%") { return GrammarNumber.decimal(text.dropLast(), 0...100).map { $0 / 100 * most } }
    return GrammarNumber.decimal(text, 0...most)
  }

  private static func byte(_ share: Double) -> UInt8 { UInt8((share * 255).rounded()) }
}
