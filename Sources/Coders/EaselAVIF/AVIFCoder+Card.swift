import CEaselAVIF
import EaselCore
import EaselFormats

extension AVIFCoder: DescribedCoder {
  package static let card = FormatCard(
    .avif, "avif", extensions: ["avif", "avifs"],
    cost: FormatCost(
      decoding: timeOfPixel, encoding: { FormatCost.entry(speeds, $0.settings[.avifSpeed] ?? 8) },
      decoderBytes: (11, 7), encoderBytes: 25),
    libraries: {
      [LibraryVersion("libavif", easel_avif_libavif_version()), LibraryVersion("dav1d", easel_avif_dav1d_version())]
    })

  /// The time for decoding a pixel of a photo, in nanoseconds.
  static let timeOfPixel = 17.0

  /// The time by speed; speeds 4, 6, 8 and 9 were measured (10 does the same as 9), the others are estimates.
  private static let speeds: [Double] = [40_000, 25_000, 16_000, 10_500, 6840, 3200, 1470, 870, 509, 219, 219]
}
