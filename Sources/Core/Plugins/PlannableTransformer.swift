/// A transformer that can share its work with the next one, or make do with a picture decoded smaller.
///
/// What comes out stays within 40 dB of doing everything one after another on the full picture, and follows from the
/// transformers and the picture's size alone.
public protocol PlannableTransformer: Transformer {
  /// One transformer that does this and then `next` in less work, nil where there is none.
  func merged(with next: any Transformer) -> (any Transformer)?

  /// What suffices for a picture of this size, nil where every pixel of it is needed.
  func plan(for size: PixelSize) -> TransformerPlan?
}

extension PlannableTransformer {
  /// It works alone.
  public func merged(with next: any Transformer) -> (any Transformer)? { nil }

  /// It needs every pixel.
  public func plan(for size: PixelSize) -> TransformerPlan? { nil }
}
