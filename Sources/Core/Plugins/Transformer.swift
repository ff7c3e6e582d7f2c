/// Makes a picture of a picture.
///
/// Its call blocks: it runs on worker threads. Frames of a moving picture come one at a time.
public protocol Transformer: Sendable {
  /// Names the transformer completely: equal keys mean equal pixels.
  var cacheKey: String { get }

  /// Makes the new picture; long work asks `work` whether it is still wanted.
  func transform(_ image: Image, work: WorkContext) throws -> Image
}

extension Transformer {
  /// This one, and then another.
  public func then(_ next: TransformerPipeline) -> TransformerPipeline {
    TransformerPipeline.custom(self).then(next)
  }
}
