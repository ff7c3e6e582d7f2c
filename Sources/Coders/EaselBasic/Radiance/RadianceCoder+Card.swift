import EaselCore
import EaselFormats

extension RadianceCoder: DescribedCoder {
  package static let card = FormatCard(
    .radiance, "hdr", extensions: ["hdr", "pic", "rgbe"], isTrusted: true,
    // These are estimates: the coder reads the rows twice and maps their tones.
    cost: FormatCost(decoding: 40, decoderBytes: (4, 2)), sample: evening)

  /// A sky of two rows: red light of twice the white of paper, and below this light single pixels that become darker.
  private static let evening: [UInt8] =
    Array("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 8\n".utf8)
    + [2, 2, 0, 8, 136, 128, 136, 64, 136, 32, 136, 130]
    + [2, 2, 0, 8, 8, 240, 220, 200, 180, 160, 140, 130, 128, 136, 100, 136, 90, 136, 128]
}
