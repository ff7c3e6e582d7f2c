import EaselCore
import EaselFormats

extension JXLCoder: DescribedCoder {
  package static let card = FormatCard(
    .jxl, "jxl", extensions: ["jxl"], isLossless: true,
    cost: FormatCost())

  package var cards: [FormatCard] { [Self.card] }
}
