import EaselCore
import EaselFormats

extension BMPCoder: DescribedCoder {
  package static let card = FormatCard(
    .bmp, "bmp", extensions: ["bmp", "dib"], isTrusted: true, isLossless: true,
    cost: FormatCost(decoding: 2, decoderBytes: (4, 4)))
}
