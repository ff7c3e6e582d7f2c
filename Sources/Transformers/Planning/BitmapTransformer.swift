import EaselColor
import EaselCore

/// A transformer that only needs the pixels.
protocol BitmapTransformer: GainMapTransformer, Hashable {
  /// Throws `transformFailed` if a parameter is invalid.
  func checkParameters() throws(ImageError)

  /// True if no picture is changed.
  var isTrivial: Bool { get }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap

  /// The same transformer with its own colours, which are of sRGB, in the colours of a picture.
  func drawing(in color: ColorDescription, work: WorkContext) throws(ImageError) -> Self

  /// The change of a gain map of a picture of this size.
  func gainMapChange(of size: PixelSize) throws(ImageError) -> GainMapChange
}

extension BitmapTransformer {
  /// Transforms the bitmap and its gain map, and keeps everything else except the frames.
  func transform(_ image: Image, work: WorkContext) throws -> Image {
    try checkParameters()
    try work.checkCancellation()
    return try decided(for: image, work: work).applied(to: image, work: work)
  }

  /// Returns that no gain map fits, for a transformer that draws something or moves pixels in another way.
  func gainMapChange(of size: PixelSize) throws(ImageError) -> GainMapChange { .isLost }

  func checkParameters() throws(ImageError) {}

  var isTrivial: Bool { false }

  /// Returns the transformer, for one without colours.
  func drawing(in color: ColorDescription, work: WorkContext) throws(ImageError) -> Self { self }

  func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws(ImageError) {
    guard condition else { throw ImageError(.transformFailed, "\(Self.self): \(rule()).", subject: cacheKey) }
  }
}
