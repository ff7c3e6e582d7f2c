import CEaselTIFF
import EaselCoding
import EaselCore
import FoundationEssentials

/// The description that a page contains besides its pixels.
struct TIFFHeader: Sendable {
  let size: PixelSize
  let orientation: ImageMetadata.Orientation
  let kind: easel_tiff_kind
  let hasAlpha: Bool
  /// The number of bits per component that can be read, at most 16.
  let bitDepth: Int
  let metadata: StoredMetadata
  /// Oddities of the file that cost no pixels.
  let notes: [String]

  /// The header of the page that the reader has selected.
  init(_ page: TIFFPage, of reader: TIFFReader, limits: Limits) throws(ImageError) {
    let file = reader.file
    size = page.size
    (kind, hasAlpha) = (reader.layout.kind, reader.layout.has_alpha)
    switch reader.layout.kind {
    case EASEL_TIFF_PALETTE, EASEL_TIFF_INKS: bitDepth = 8
    default: bitDepth = min(16, Int(reader.layout.bits))
    }
    orientation = try file.orientation(of: page)
    let blocks = [TIFFTag.profile, TIFFTag.xmp].compactMap { page.directory.entry($0)?.byteCount }
    try limits.check(metadataBytes: blocks.reduce(0, +), claimedBy: "TIFF: the header")
    let exif = try TIFFBlock(reader: file.directories, mostBytes: limits.metadataBytes).exif(of: page)
    try limits.check(
      metadataBytes: blocks.reduce(exif?.bytes.count ?? 0, +), claimedBy: "TIFF: the header")
    metadata = StoredMetadata(
      profile: try file.profile(of: page), exif: exif, xmp: try file.xmp(of: page).map { XMP(Data($0)) },
      density: try file.density(of: page))
    notes = file.wound.map { [$0.note("TIFF")] } ?? []
  }

  func imageHeader(frameCount: Int) -> ImageHeader {
    var header = ImageHeader(
      format: .tiff, storedSize: size, orientation: orientation, frameCount: frameCount,
      loopCount: frameCount > 1 ? 1 : 0, hasAlpha: hasAlpha, bitDepth: bitDepth)
    header.state(metadata)
    header.notes = notes
    return header
  }
}
