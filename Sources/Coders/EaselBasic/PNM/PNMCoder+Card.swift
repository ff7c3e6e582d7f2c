import EaselCore
import EaselFormats

extension PNMCoder: DescribedCoder {
  package static let card = FormatCard(
    .pnm, "pnm", extensions: ["pnm", "ppm", "pgm", "pbm", "pam"], isTrusted: true, isLossless: true,
    cost: FormatCost(decoding: 2, decoderBytes: (4, 4)))
}
