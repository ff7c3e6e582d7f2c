import CEaselWebP
import EaselCore
import EaselFormats

extension WebPCoder: DescribedCoder {
  package static let card = FormatCard(
    .webp, "webp", extensions: ["webp"], isTrusted: true, isLossless: true,
    cost: FormatCost(
      decoding: 9,
      encoding: {
        $0.lossless ? 400 : FormatCost.entry(methods, $0.settings[.webpMethod] ?? WebPPixels.Way.usualMethod)
      },
      decoderBytes: (5, 5)),
    libraries: { [LibraryVersion("libwebp", packed: easel_webp_library_version(), bits: 8)] })

  /// The time for each method.
  ///
  /// The times of methods 2 and 4 were measured, the others are estimates.
  private static let methods: [Double] = [30, 45, 59, 95, 132, 190, 280]
}
