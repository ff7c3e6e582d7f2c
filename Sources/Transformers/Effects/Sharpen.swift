import EaselCore
import EaselPixels

/// Emphasizes edges by adding the details that a blur would remove.
struct Sharpen: BitmapTransformer {
  /// The share of the details to add; 1 is clearly visible.
  let amount: Double
  /// The radius of the blur in pixels.
  let radius: Double

  /// Creates a sharpening; without an amount or a radius it changes nothing, and both become zero.
  init(_ amount: Double = 1, radius: Double = 1) {
    let isNothing = amount == 0 || radius == 0
    self.amount = isNothing ? 0 : amount
    self.radius = isNothing ? 0 : radius
  }

  /// `Sharpen(amount,radius)`.
  var cacheKey: String { KeyText.make("Sharpen", KeyText.number(amount), KeyText.number(radius)) }

  var isTrivial: Bool { amount == 0 }

  func checkParameters() throws(ImageError) {
    try require(amount >= 0 && amount.isFinite, "the amount must be 0 or more, but is \(amount)")
    try require(radius >= 0 && radius.isFinite, "the radius must be 0 or more, but is \(radius)")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    if amount == 0 { return bitmap }
    return try bitmap.sharpened(amount: amount, radius: radius, work: work)
  }
}
