import CEaselPNG
import EaselCore
import EaselFormats

extension PNGCoder: DescribedCoder {
  package static let card = FormatCard(
    .png, "png", extensions: ["png", "apng"], isTrusted: true, isLossless: true,
    cost: FormatCost(
      decoding: 11,
      // This is an estimate: the level decides how long deflate searches.
      encoding: { $0.compressionLevel > 6 ? 200 : 60 }, decoderBytes: (8, 5), encoderBytes: 6),
    libraries: {
      [
        LibraryVersion("libdeflate", easel_png_libdeflate_version(), isAsked: false),
        LibraryVersion("zlib", easel_png_zlib_version()),
      ]
    })
}
