import EaselCore
import EaselPixels

/// Makes a picture darker or brighter by a factor.
struct Brightness: ColorStep {
  /// The factor: 0 is black, 1 changes nothing, more is brighter.
  let amount: Double

  init(_ amount: Double) { self.amount = amount }

  /// `Brightness(amount)`.
  var cacheKey: String { KeyText.make("Brightness", KeyText.number(amount)) }

  var isTrivial: Bool { amount == 1 }

  func checkParameters() throws(ImageError) {
    try require(amount >= 0 && amount.isFinite, "the amount must be 0 or more, but is \(amount)")
  }

  var matrix: Bitmap.ColorMatrix {
    .scaling(by: amount, adding: 0)
  }
}
