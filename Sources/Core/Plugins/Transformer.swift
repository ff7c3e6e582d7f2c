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

struct ClosureTransformer: Transformer {
  let key: String
  let body: @Sendable (Image) throws -> Image

  var cacheKey: String { key }

  func transform(_ image: Image, work: WorkContext) throws -> Image { try body(image) }
}

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

/// How transformers are run on a picture of a size that is known from its header.
public struct TransformerPlan: Sendable {
  /// The size that the picture must at least be decoded at, with its ratio kept; nil for every pixel.
  public let leastSize: PixelSize?
  /// Makes of a picture of any size from ``leastSize`` up what the original makes of the full one.
  public let transformer: any Transformer

  /// Creates a plan.
  public init(leastSize: PixelSize?, transformer: any Transformer) {
    self.leastSize = leastSize
    self.transformer = transformer
  }
}

extension TransformerPipeline {
  /// The same transformers, neighbours merged where they can share their work.
  public var merged: TransformerPipeline {
    var steps: [any Transformer] = []
    for member in members {
      if let last = steps.last as? any PlannableTransformer, let both = last.merged(with: member) {
        steps[steps.count - 1] = both
      } else {
        steps.append(member)
      }
    }
    return TransformerPipeline(merged: steps)
  }

  /// How to run on a picture of this size, set upright if it is to be; the pipeline of the plan is merged already.
  public func plan(for size: PixelSize) -> TransformerPlan {
    var steps = merged.members
    guard let first = steps.first as? any PlannableTransformer, let plan = PluginChecks.plan(of: first, for: size)
    else {
      return TransformerPlan(leastSize: nil, transformer: TransformerPipeline(merged: steps))
    }
    steps[0] = plan.transformer
    return TransformerPlan(leastSize: plan.leastSize, transformer: TransformerPipeline(merged: steps))
  }
}
