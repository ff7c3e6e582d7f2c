import EaselCore
import EaselFormats

extension ICOCoder: DescribedCoder {
  package static let card = FormatCard(
    .ico, "ico", extensions: ["ico", "cur"], isTrusted: true, isLossless: true,
    cost: FormatCost(decoding: 11))
}
