import EaselCore
import EaselPixels

/// Gives a picture the brown tone of old photographs.
struct Sepia: ColorStep {
  /// The strength: 1 is fully brown.
  let amount: Double

  init(_ amount: Double = 1) { self.amount = amount }

  /// `Sepia(amount)`.
  var cacheKey: String { KeyText.make("Sepia", KeyText.number(amount)) }

  var isTrivial: Bool { amount == 0 }

  func checkParameters() throws(ImageError) {
    try require(amount >= 0 && amount <= 1, "the amount must be from 0 to 1, but is \(amount)")
  }

  var matrix: Bitmap.ColorMatrix {
    let rest = 1 - amount
    return Bitmap.ColorMatrix(rows: [
      [0.393 + 0.607 * rest, 0.769 * amount, 0.189 * amount, 0, 0],
      [0.349 * amount, 0.686 + 0.314 * rest, 0.168 * amount, 0, 0],
      [0.272 * amount, 0.534 * amount, 0.131 + 0.869 * rest, 0, 0],
      [0, 0, 0, 1, 0],
    ])
  }
}
