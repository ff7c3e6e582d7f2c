/// Transformers in a row.
///
/// Dot syntax makes them: `[.resize(width: 320), .roundCorners(12)]` or `.resize(width: 320).then(.roundCorners(12))`.
public struct TransformerPipeline: Transformer, ExpressibleByArrayLiteral {
  /// The transformers in the order they work; none of them is a pipeline.
  public let members: [any Transformer]

  private let isMerged: Bool

  /// Creates a pipeline; pipelines among the transformers give their members.
  public init(_ transformers: [any Transformer]) {
    members = transformers.flatMap { ($0 as? TransformerPipeline)?.members ?? [$0] }
    isMerged = false
  }

  init(merged steps: [any Transformer]) {
    members = steps
    isMerged = true
  }

  /// Creates a pipeline of pipelines.
  public init(arrayLiteral elements: TransformerPipeline...) {
    members = elements.flatMap(\.members)
    isMerged = false
  }

  /// Does nothing; in a context it switches the manager's own transformer off.
  public static var identity: TransformerPipeline { TransformerPipeline([]) }

  /// A transformer of your own.
  public static func custom(_ transformer: any Transformer) -> TransformerPipeline {
    TransformerPipeline([transformer])
  }

  /// A transformer made of a closure, which must be given a key of its own.
  public static func closure(
    key: String, _ body: @escaping @Sendable (Image) throws -> Image
  ) -> TransformerPipeline {
    .custom(ClosureTransformer(key: key, body: body))
  }

  /// Whether it does nothing.
  public var isIdentity: Bool { members.isEmpty }

  /// The keys of the members, joined by a dash.
  public var cacheKey: String { members.map(\.cacheKey).joined(separator: "-") }

  /// This one, and then another.
  public func then(_ next: TransformerPipeline) -> TransformerPipeline {
    TransformerPipeline(members + next.members)
  }

  /// Runs one member after another, neighbours merged, and asks between them whether the result is still wanted.
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
