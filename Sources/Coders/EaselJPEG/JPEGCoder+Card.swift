import CEaselJPEG
import EaselCore
import EaselFormats

extension JPEGCoder: DescribedCoder {
  package static let card = FormatCard(
    .jpeg, "jpeg", extensions: ["jpg", "jpeg", "jpe", "jfif"], isTrusted: true,
    cost: FormatCost(
      decoding: 2.4, encoding: { _ in 5 },
      // A progressive one; of one of the usual kind, which keeps a few rows, the coder says so.
      decoderBytes: (0, 3.5), encoderBytes: 2),
    libraries: { [LibraryVersion("libjpeg-turbo", easel_jpeg_library_version(), isAsked: false)] })
}
