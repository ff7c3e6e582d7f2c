import EaselCore
import EaselPixels

/// Takes the colour out of a picture, by the weights that television gives to red, green and blue (BT.709).
public struct Grayscale: ColorStep {
  /// How much of it: 1 leaves none.
  public let amount: Double

  /// Creates it.
  public init(_ amount: Double = 1) { self.amount = amount }

  /// `Grayscale(amount)`.
  public var cacheKey: String { KeyText.make("Grayscale", KeyText.number(amount)) }

  func checkParameters() throws(ImageError) {
    try require(amount >= 0 && amount <= 1, "the amount must be from 0 to 1, and is \(amount)")
  }

  var matrix: ColorMatrix {
    ColorMatrix.saturation(1 - amount)
  }
}
