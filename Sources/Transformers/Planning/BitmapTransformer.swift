import EaselCore

/// A transformer that looks at nothing but the pixels.
protocol BitmapTransformer: Transformer, Hashable {
  /// Throws `transformFailed` when a parameter makes no sense.
  func checkParameters() throws(ImageError)

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap
}

extension BitmapTransformer {
  /// Makes the new picture of the bitmap and keeps everything else; frames are left out.
  public func transform(_ image: Image, work: WorkContext) throws -> Image {
    try checkParameters()
    try work.checkCancellation()
    var result = image
    result.bitmap = try transform(image.bitmap, work: work)
    // The frames are not those of the new picture; who wants them transformed asks for all of them.
    result.frames = nil
    return result
  }

  func checkParameters() throws(ImageError) {}

  func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws(ImageError) {
    guard condition else { throw ImageError(.transformFailed, "\(Self.self): \(rule()).", subject: cacheKey) }
  }
}
