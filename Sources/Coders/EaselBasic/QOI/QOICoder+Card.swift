import EaselCore
import EaselFormats

extension QOICoder: DescribedCoder {
  package static let card = FormatCard(
    .qoi, "qoi", extensions: ["qoi"], isTrusted: true, isLossless: true,
    cost: FormatCost(decoding: 4, decoderBytes: (4, 4)))
}
