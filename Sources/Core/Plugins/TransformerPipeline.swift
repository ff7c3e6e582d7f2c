/// A sequence of transformers.
///
/// Dot syntax creates one: `[.resize(width: 320), .roundCorners(12)]` or `.resize(width: 320).then(.roundCorners(12))`.
///
/// ```swift
/// let card = TransformerPipeline.resize(width: 320).then(.roundCorners(12))
/// let image = try await manager.image(for: url, context: [.transformer(card)])
/// ```
public struct TransformerPipeline: Transformer, ExpressibleByArrayLiteral {
  /// The transformers in order; none of them is a pipeline.
  public let members: [any Transformer]

  private let isMerged: Bool

  /// Runs transformers one after another, the first one first.
  ///
  /// A pipeline among the transformers is replaced by its members.
  public init(_ transformers: [any Transformer]) {
    members = transformers.flatMap { ($0 as? TransformerPipeline)?.members ?? [$0] }
    isMerged = false
  }

  package init(merged steps: [any Transformer]) {
    members = steps
    isMerged = true
  }

  /// Joins pipelines, in their order.
  public init(arrayLiteral elements: TransformerPipeline...) {
    members = elements.flatMap(\.members)
    isMerged = false
  }

  /// A pipeline that does nothing.
  ///
  /// In a context it replaces the manager's transformer, so that none runs.
  public static var identity: TransformerPipeline { TransformerPipeline([]) }

  /// A pipeline with your own transformer.
  public static func custom(_ transformer: any Transformer) -> TransformerPipeline {
    TransformerPipeline([transformer])
  }

  /// A transformer made from a closure; give it a unique key.
  ///
  /// ```swift
  /// let mirror = TransformerPipeline.closure(key: "Mirror()") { image in
  ///   var image = image
  ///   image.bitmap = try image.bitmap.flipped(horizontally: true, vertically: false)
  ///   return image
  /// }
  /// ```
  public static func closure(
    key: String, _ body: @escaping @Sendable (Image) throws -> Image
  ) -> TransformerPipeline {
    .custom(ClosureTransformer(key: key, body: body))
  }

  /// True when the pipeline does nothing.
  public var isIdentity: Bool { members.isEmpty }

  /// The keys of the members, joined by a dash.
  public var cacheKey: String { members.map(\.cacheKey).joined(separator: "-") }

  /// Returns a pipeline of these transformers and then `next`.
  ///
  /// ```swift
  /// let card = TransformerPipeline.resize(width: 320).then(.grayscale).then(.roundCorners(12))
  /// ```
  public func then(_ next: TransformerPipeline) -> TransformerPipeline {
    TransformerPipeline(members + next.members)
  }

  /// Runs the members in order, with neighbours merged, and checks for cancellation between them.
  public func transform(_ image: Image, work: WorkContext) throws -> Image {
    guard isMerged else { return try merged.transform(image, work: work) }
    var image = image
    for member in members {
      try work.checkCancellation()
      image = try member.transformed(image, work: work)
    }
    return image
  }
}

/// Each member handles the gain map itself.
extension TransformerPipeline: GainMapTransformer {}
