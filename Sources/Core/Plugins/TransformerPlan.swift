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
