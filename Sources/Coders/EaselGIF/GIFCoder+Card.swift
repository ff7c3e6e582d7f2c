import CEaselGIF
import EaselCore
import EaselFormats

extension GIFCoder: DescribedCoder {
  package static let card = FormatCard(
    .gif, "gif", extensions: ["gif"], isTrusted: true,
    cost: FormatCost(
      decoding: 5,
      // This is an estimate: the search for the best 256 colours takes most of the time.
      encoding: { _ in 80 }, decoderBytes: (5, 1), encoderBytes: 8),
    libraries: { [LibraryVersion("giflib", easel_gif_library_version(), isAsked: false)] })
}
