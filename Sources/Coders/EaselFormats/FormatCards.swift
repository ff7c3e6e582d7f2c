import EaselCore

/// The cards of the formats that a coder supports, by format and by coder.
package struct FormatCards: Sendable {
  /// The cards, in the order in which the coders are asked.
  package let all: [FormatCard]
  private let byFormat: [ImageFormat: FormatCard]
  private let byCoder: [String: FormatCard]

  /// Collects the cards of a coder, or of all coders in a registry, with or without a sandbox.
  package init(_ coder: any ImageCoder = CoderRegistry()) {
    let coders = coder.registry.coders.reversed()
    let owned = coders.flatMap { coder in Self.cards(of: coder).map { (coder: coder.identifier, card: $0) } }
    byFormat = Dictionary(owned.map { ($0.card.format, $0.card) }) { first, _ in first }
    byCoder = Dictionary(owned.map { ($0.coder, $0.card) }) { first, _ in first }
    var seen: Set<ImageFormat> = []
    all = owned.map(\.card).filter { seen.insert($0.format).inserted }
  }

  package subscript(_ format: ImageFormat) -> FormatCard? { byFormat[format] }

  /// The card of the first format of a coder.
  package func card(ofCoder identifier: String) -> FormatCard? { byCoder[identifier] }

  package func cost(of format: ImageFormat) -> FormatCost { byFormat[format]?.cost ?? FormatCost() }

  /// The cards of one coder; empty for a coder that is not a part of Easel.
  package static func cards(of coder: any ImageCoder) -> [FormatCard] {
    (coder.inThisProcess as? any CardCarryingCoder)?.cards ?? []
  }
}
