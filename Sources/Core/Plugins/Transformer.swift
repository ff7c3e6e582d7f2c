/// Makes a new picture from another one.
///
/// A call may block: it runs on a worker thread, no longer than `Limits.decodeTime`. A moving picture is passed one
/// frame at a time.
///
/// ```swift
/// struct Mirror: Transformer {
///   let cacheKey = "Mirror()"
///   func transform(_ image: Image, work: WorkContext) throws -> Image {
///     var image = image
///     image.bitmap = try image.bitmap.flipped(horizontally: true, vertically: false)
///     return image
///   }
/// }
/// let mirrored = try await manager.image(for: url, context: [.transformer(.custom(Mirror()))])
/// ```
public protocol Transformer: Sendable {
  /// Identifies the transformer and all its settings: equal keys mean equal pixels.
  var cacheKey: String { get }

  /// Makes the new picture from `image`.
  ///
  /// Long work checks `work` for cancellation. Properties that the result does not state are taken from `image`:
  /// format, metadata and scale factor. `Image(bitmap)` keeps them all. To change or drop one, set it:
  /// `result.metadata.exif = nil`, or `Image(bitmap, metadata: ImageMetadata(storedSize: size))`. The properties of the
  /// first frame apply to a whole moving picture.
  func transform(_ image: Image, work: WorkContext) throws -> Image
}

extension Transformer {
  /// Transforms a still picture or a frame, and checks whether the result keeps the limits.
  ///
  /// Properties that the transformer does not state stay unchanged. The exception is a gain map, which would no longer
  /// fit if pixels have moved.
  package func transformed(_ image: Image, work: WorkContext) throws -> Image {
    var result = try transform(image, work: work).inheriting(from: image)
    if !keepsGainMap, let map = image.metadata.gainMap, result.metadata.gainMap == map {
      result.metadata.gainMap = nil
    }
    try PluginChecks(limits: work.limits).check(
      result, madeOf: image, by: "The transformer \(cacheKey)")
    return result
  }

  /// Returns a pipeline of this transformer and then `next`.
  public func then(_ next: TransformerPipeline) -> TransformerPipeline {
    TransformerPipeline.custom(self).then(next)
  }
}

/// A transformer that handles the gain map of a picture: it changes the map like the pixels, or drops it.
///
/// The map is dropped for other transformers, because it would not fit the new picture.
package protocol GainMapTransformer: Transformer {
  /// True unless the transformer ignores the map, which must then be dropped.
  var followsWithGainMap: Bool { get }
}

extension GainMapTransformer {
  /// Returns true.
  package var followsWithGainMap: Bool { true }
}

extension Transformer {
  fileprivate var keepsGainMap: Bool { (self as? any GainMapTransformer)?.followsWithGainMap ?? false }
}

struct ClosureTransformer: Transformer {
  let key: String
  let body: @Sendable (Image) throws -> Image

  var cacheKey: String { key }

  func transform(_ image: Image, work: WorkContext) throws -> Image { try body(image) }
}

/// A transformer that can be merged with the next one, or can work on a picture that is decoded smaller.
///
/// The result depends only on the transformers and the size of the picture. Compared with running all transformers in
/// turn on the full picture, its signal-to-noise ratio (PSNR) is at least 40 dB.
public protocol PlannableTransformer: Transformer {
  /// A transformer that does the work of this one and then of `next` at a lower cost; nil when there is none.
  func merged(with next: any Transformer) -> (any Transformer)?

  /// The plan for a picture of this size; nil when every pixel is needed.
  func plan(for size: PixelSize) -> TransformerPipeline.Plan?

  /// The plan for a drawing of this size, which may be drawn larger; nil to draw it at its own size.
  ///
  /// A drawing that is drawn larger gives a sharper result than enlarging its pixels would.
  func plan(forDrawing size: PixelSize) -> TransformerPipeline.Plan?
}

extension PlannableTransformer {
  /// Returns nil: the transformer cannot be merged.
  public func merged(with next: any Transformer) -> (any Transformer)? { nil }

  /// Returns nil: the transformer needs every pixel.
  public func plan(for size: PixelSize) -> TransformerPipeline.Plan? { nil }

  /// Returns the plan for a picture of pixels.
  public func plan(forDrawing size: PixelSize) -> TransformerPipeline.Plan? { plan(for: size) }
}

extension TransformerPipeline {
  /// A plan for running transformers on a picture whose size is known from its header.
  public struct Plan: Sendable {
    /// The minimum size of the decoded picture, with its ratio kept; nil for every pixel.
    ///
    /// It may be larger than the picture only for a drawing, which is then drawn at exactly this size.
    public let leastSize: PixelSize?
    /// The transformer to run.
    ///
    /// From a picture of any size from ``leastSize`` up, it makes what the original transformers make from the full
    /// picture.
    public let transformer: any Transformer

    /// Takes the least size of the decoded picture, and the transformer to run on it.
    public init(leastSize: PixelSize?, transformer: any Transformer) {
      self.leastSize = leastSize
      self.transformer = transformer
    }
  }
}

extension TransformerPipeline {
  /// The same transformers, with neighbours merged where possible.
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

  /// The plan for a picture whose upright size is `size`.
  ///
  /// The pipeline of the plan is already merged.
  public func plan(for size: PixelSize) -> TransformerPipeline.Plan { plan(for: size, isDrawing: false) }

  /// The plan for a drawing of this size, which may be drawn larger.
  package func plan(forDrawing size: PixelSize) -> TransformerPipeline.Plan { plan(for: size, isDrawing: true) }

  private func plan(for size: PixelSize, isDrawing: Bool) -> TransformerPipeline.Plan {
    var steps = merged.members
    guard let first = steps.first as? any PlannableTransformer,
      let plan = PluginChecks.plan(of: first, for: size, isDrawing: isDrawing)
    else {
      return TransformerPipeline.Plan(leastSize: nil, transformer: TransformerPipeline(merged: steps))
    }
    steps[0] = plan.transformer
    return TransformerPipeline.Plan(leastSize: plan.leastSize, transformer: TransformerPipeline(merged: steps))
  }
}
