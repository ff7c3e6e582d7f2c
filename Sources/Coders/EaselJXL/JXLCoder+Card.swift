import CEaselJXL
import EaselCore
import EaselFormats

extension JXLCoder: DescribedCoder {
  package static let card = FormatCard(
    .jxl, "jxl", extensions: ["jxl"], isLossless: true,
    cost: FormatCost(),
    libraries: { [LibraryVersion("libjxl", packed: easel_jxl_library_version(), bits: 8)] })
}
