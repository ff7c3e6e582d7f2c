import EaselCore

extension TransformerPipeline {
  /// The care with which a picture is resized.
  ///
  /// ```swift
  /// let context: ImageContext = [.transformer(.resize(width: 320, fidelity: .fast))]
  /// ```
  public typealias Fidelity = EaselCore.Fidelity

  /// The pipeline whose steps resize with this fidelity, unless they ask for another one than the default.
  package func with(_ fidelity: Fidelity) -> TransformerPipeline {
    TransformerPipeline(
      members.map { member -> any Transformer in
        guard let step = member as? any FidelityTransformer else { return member }
        return step.with(fidelity)
      })
  }
}

/// A transformer that makes pictures smaller with more or less care.
package protocol FidelityTransformer: Transformer {
  /// The same transformer with this fidelity, or unchanged if it asks for another one than the default.
  func with(_ fidelity: Fidelity) -> Self
}

extension Resize: FidelityTransformer {
  func with(_ fidelity: Fidelity) -> Resize {
    guard self.fidelity == .faithful else { return self }
    var result = self
    result.fidelity = fidelity
    return result
  }
}

extension Fidelity {
  /// The name in options and URLs.
  package var name: String {
    switch self {
    case .fast: "fast"
    case .faithful: "faithful"
    case .exact: "exact"
    }
  }

  /// The fidelity of a name; nil if there is none.
  package init?(named name: some StringProtocol) {
    guard let found = Fidelity.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}
