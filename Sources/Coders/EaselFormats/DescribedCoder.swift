import EaselCore

/// A coder whose module has a card of each of its formats.
package protocol DescribedCoder: ImageCoder {
  var cards: [FormatCard] { get }
}
