import EaselCore
import EaselPixels

/// Removes the colour of a picture, weighting red, green and blue as in BT.709 (HDTV).
struct Grayscale: ColorStep {
  /// The share of colour to remove; 1 leaves none.
  let amount: Double

  init(_ amount: Double = 1) { self.amount = amount }

  /// `Grayscale(amount)`.
  var cacheKey: String { KeyText.make("Grayscale", KeyText.number(amount)) }

  var isTrivial: Bool { amount == 0 }

  func checkParameters() throws(ImageError) {
    try require(amount >= 0 && amount <= 1, "the amount must be from 0 to 1, but is \(amount)")
  }

  var matrix: Bitmap.ColorMatrix {
    .saturation(1 - amount)
  }
}
