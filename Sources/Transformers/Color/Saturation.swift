import EaselCore
import EaselPixels

/// Makes colours paler or stronger.
struct Saturation: ColorStep {
  /// The factor: 0 is grey, 1 changes nothing, more is stronger.
  let amount: Double

  init(_ amount: Double) { self.amount = amount }

  /// `Saturation(amount)`.
  var cacheKey: String { KeyText.make("Saturation", KeyText.number(amount)) }

  var isTrivial: Bool { amount == 1 }

  func checkParameters() throws(ImageError) {
    try require(amount >= 0 && amount.isFinite, "the amount must be 0 or more, but is \(amount)")
  }

  var matrix: Bitmap.ColorMatrix {
    .saturation(amount)
  }
}
