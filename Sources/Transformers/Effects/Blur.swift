import EaselCore
import EaselPixels

/// Blurs a picture with three box passes, which approximate a Gaussian.
struct Blur: BitmapTransformer {
  /// The standard deviation in pixels.
  let radius: Double

  init(_ radius: Double) { self.radius = radius }

  /// `Blur(radius)`.
  var cacheKey: String { KeyText.make("Blur", KeyText.number(radius)) }

  var isTrivial: Bool { radius == 0 }

  func checkParameters() throws(ImageError) {
    try require(radius >= 0 && radius.isFinite, "the radius must be 0 or more, but is \(radius)")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.blurred(radius: radius, work: work)
  }
}
