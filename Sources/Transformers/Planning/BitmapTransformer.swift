import EaselColor
import EaselCore

/// A transformer that only needs the pixels.
protocol BitmapTransformer: Transformer, Hashable {
  /// Throws `transformFailed` if a parameter is invalid.
  func checkParameters() throws(ImageError)

  /// True if no picture is changed.
  var isTrivial: Bool { get }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap

  /// The same transformer with its own colours, which are of sRGB, in the colours of a picture.
  func drawing(in color: ColorDescription, work: WorkContext) throws(ImageError) -> Self
}

extension BitmapTransformer {
  /// Transforms the bitmap and keeps everything else except the frames.
  func transform(_ image: Image, work: WorkContext) throws -> Image {
    try checkParameters()
    try work.checkCancellation()
    var result = image
    let step = try image.metadata.color.map { (color) throws(ImageError) in try drawing(in: color, work: work) }
    result.bitmap = try (step ?? self).transform(image.bitmap, work: work)
    // The old frames do not match the new picture; callers that want frames transform all of them.
    result.frames = nil
    return result
  }

  func checkParameters() throws(ImageError) {}

  var isTrivial: Bool { false }

  /// Returns the transformer, for one without colours.
  func drawing(in color: ColorDescription, work: WorkContext) throws(ImageError) -> Self { self }

  func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws(ImageError) {
    guard condition else { throw ImageError(.transformFailed, "\(Self.self): \(rule()).", subject: cacheKey) }
  }
}
