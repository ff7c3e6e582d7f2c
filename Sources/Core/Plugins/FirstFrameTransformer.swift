/// A transformer whose geometry depends on the pixels of a picture.
///
/// All frames of a moving picture use the geometry of the first, so that they keep one size.
package protocol FirstFrameTransformer: Transformer {
  /// Returns the transformer for all frames of a moving picture with this first frame.
  func fixed(by first: Image, work: WorkContext) throws -> any Transformer
}

extension Transformer {
  /// Transforms the first frame of a moving picture, and returns it with the transformer for all frames.
  func transformedFirst(_ image: Image, work: WorkContext) throws -> (Image, any Transformer) {
    guard let pipeline = self as? TransformerPipeline else {
      let fixed = try (self as? any FirstFrameTransformer)?.fixed(by: image, work: work) ?? self
      return (try fixed.transformed(image, work: work), fixed)
    }
    let steps = pipeline.merged.members
    guard steps.contains(where: { $0 is any FirstFrameTransformer }) else {
      return (try transformed(image, work: work), self)
    }
    var (result, fixed) = (image, [any Transformer]())
    for step in steps {
      try work.checkCancellation()
      let (next, fixedStep) = try step.transformedFirst(result, work: work)
      result = next
      fixed.append(fixedStep)
    }
    return (result, TransformerPipeline(merged: fixed))
  }
}
