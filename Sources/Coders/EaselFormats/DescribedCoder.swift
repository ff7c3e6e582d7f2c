import EaselCore

/// A coder that has a card for each of its formats.
package protocol CardCarryingCoder: ImageCoder {
  var cards: [FormatCard] { get }
}

/// A coder whose module describes each of its formats on a card.
package protocol DescribedCoder: CardCarryingCoder {
  /// The card of the coder's first format.
  static var card: FormatCard { get }
}

extension DescribedCoder {
  package var cards: [FormatCard] { [Self.card] }
}
