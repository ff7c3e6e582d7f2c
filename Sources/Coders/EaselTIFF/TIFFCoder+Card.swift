import CEaselTIFF
import EaselCore
import EaselFormats

extension TIFFCoder: DescribedCoder {
  package static let card = FormatCard(
    .tiff, "tiff", extensions: ["tiff", "tif"], isLossless: true, decodesRegions: true,
    cost: FormatCost(decoding: 11, decoderBytes: (9, 5)),
    libraries: { [LibraryVersion("libtiff", easel_tiff_library_version())] })
}
