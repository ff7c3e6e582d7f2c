import EaselCore
import EaselPixels

/// Makes colours paler or stronger.
public struct Saturation: ColorStep {
  /// The factor: 0 is grey, 1 changes nothing, more is stronger.
  public let amount: Double

  /// Creates a saturation change.
  public init(_ amount: Double) { self.amount = amount }

  /// `Saturation(amount)`.
  public var cacheKey: String { KeyText.make("Saturation", KeyText.number(amount)) }

  func checkParameters() throws(ImageError) {
    try require(amount >= 0 && amount.isFinite, "the amount must be 0 or more, but is \(amount)")
  }

  var matrix: ColorMatrix {
    ColorMatrix.saturation(amount)
  }
}
