import EaselCore

/// A coder whose module describes each of its formats on a card.
package protocol DescribedCoder: ImageCoder {
  /// The card of the coder's first format.
  static var card: FormatCard { get }
  var cards: [FormatCard] { get }
}

extension DescribedCoder {
  package var cards: [FormatCard] { [Self.card] }
}
