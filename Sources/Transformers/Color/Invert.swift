import EaselCore
import EaselPixels

/// Turns a picture into its negative.
struct Invert: ColorStep {
  /// The strength: 1 is the negative, 0.5 is grey.
  let amount: Double

  init(_ amount: Double = 1) { self.amount = amount }

  /// `Invert(amount)`.
  var cacheKey: String { KeyText.make("Invert", KeyText.number(amount)) }

  var isTrivial: Bool { amount == 0 }

  func checkParameters() throws(ImageError) {
    try require(amount >= 0 && amount <= 1, "the amount must be from 0 to 1, but is \(amount)")
  }

  var matrix: Bitmap.ColorMatrix {
    .scaling(by: 1 - 2 * amount, adding: amount)
  }
}
