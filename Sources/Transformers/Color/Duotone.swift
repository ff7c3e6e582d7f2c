import EaselColor
import EaselCore
import EaselPixels

/// Draws a picture in the colours between two, by its luminance, weighted as in BT.709 (HDTV).
struct Duotone: ColorStep {
  /// The colour of black.
  let shadows: PixelColor
  /// The colour of white.
  let highlights: PixelColor
  /// The strength: 1 leaves none of the picture's own colours.
  let amount: Double

  /// Creates a duotone; the transparency of its colours has no meaning, and without strength they have none either.
  init(shadows: PixelColor, highlights: PixelColor, amount: Double) {
    self.shadows = amount == 0 ? .black : Self.opaque(shadows)
    self.highlights = amount == 0 ? .white : Self.opaque(highlights)
    self.amount = amount
  }

  /// `Duotone(#aarrggbb,#aarrggbb,amount)`.
  var cacheKey: String {
    KeyText.make("Duotone", KeyNumber.text(shadows), KeyNumber.text(highlights), KeyText.number(amount))
  }

  var isTrivial: Bool { amount == 0 }

  func checkParameters() throws(ImageError) {
    try require(amount >= 0 && amount <= 1, "the amount must be from 0 to 1, but is \(amount)")
  }

  var matrix: Bitmap.ColorMatrix {
    let levels = [(shadows.red, highlights.red), (shadows.green, highlights.green), (shadows.blue, highlights.blue)]
    let rows = levels.enumerated().map { index, level in
      let (dark, light) = (Double(level.0) / 255, Double(level.1) / 255)
      var row = [0.2126, 0.7152, 0.0722].map { $0 * (light - dark) * amount } + [0, dark * amount]
      row[index] += 1 - amount
      return row
    }
    return Bitmap.ColorMatrix(rows: rows + [[0, 0, 0, 1, 0]])
  }

  func drawing(in description: ColorDescription, work: WorkContext) throws(ImageError) -> Duotone {
    Duotone(
      shadows: shadows.drawn(in: description), highlights: highlights.drawn(in: description), amount: amount)
  }

  private static func opaque(_ color: PixelColor) -> PixelColor {
    PixelColor(red: color.red, green: color.green, blue: color.blue)
  }
}
