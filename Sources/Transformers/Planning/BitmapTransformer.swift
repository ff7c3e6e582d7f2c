import EaselCore

/// A transformer that only needs the pixels.
protocol BitmapTransformer: Transformer, Hashable {
  /// Throws `transformFailed` if a parameter is invalid.
  func checkParameters() throws(ImageError)

  /// True if no picture is changed.
  var isTrivial: Bool { get }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap
}

extension BitmapTransformer {
  /// Transforms the bitmap and keeps everything else except the frames.
  func transform(_ image: Image, work: WorkContext) throws -> Image {
    try checkParameters()
    try work.checkCancellation()
    var result = image
    result.bitmap = try transform(image.bitmap, work: work)
    // The old frames do not match the new picture; callers that want frames transform all of them.
    result.frames = nil
    return result
  }

  func checkParameters() throws(ImageError) {}

  var isTrivial: Bool { false }

  func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws(ImageError) {
    guard condition else { throw ImageError(.transformFailed, "\(Self.self): \(rule()).", subject: cacheKey) }
  }
}
