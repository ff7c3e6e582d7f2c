/// Makes a picture of a picture.
///
/// Its call blocks: it runs on worker threads, no longer than `Limits.decodeTime`. Frames of a moving picture come one at a time.
public protocol Transformer: Sendable {
  /// Names the transformer completely: equal keys mean equal pixels.
  var cacheKey: String { get }

  /// Makes the new picture; long work asks `work` whether it is still wanted.
  ///
  /// The format, the metadata and the scale factor that the result does not state are those of `image`: an
  /// `Image(bitmap)` keeps them all. To drop or to change them, state it: `result.metadata.exif = nil`, or
  /// `Image(bitmap, metadata: ImageMetadata(storedSize: size))`. What is stated for the first frame of a moving picture
  /// holds for the whole of it.
  func transform(_ image: Image, work: WorkContext) throws -> Image
}

extension Transformer {
  /// Transforms one picture, a still one or a frame, by the rule that holds for both.
  ///
  /// Transforms within the limits; properties that the transformer does not state stay as they were.
  package func transformed(_ image: Image, work: WorkContext) throws -> Image {
    let result = try transform(image, work: work).inheriting(from: image)
    try PluginChecks(limits: work.limits).check(result, madeBy: "The transformer \(cacheKey)")
    return result
  }

  /// This one, and then another.
  public func then(_ next: TransformerPipeline) -> TransformerPipeline {
    TransformerPipeline.custom(self).then(next)
  }
}
