import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Combines compressed pages, their directories and the metadata into a file.
///
/// The pixels of each page precede its directory, so that nothing has to be moved.
struct TIFFFileWriter {
  private(set) var file = Data([0x49, 0x49, 42, 0, 0, 0, 0, 0])
  /// The place at which the offset of the next directory is written.
  private var link = 4
  private let settings: TIFFEncodeSettings
  private let profile: Data?
  private let isGrayProfile: Bool
  private let orientation: ImageMetadata.Orientation
  private let kept: KeptMetadata

  init(_ metadata: ImageMetadata, _ options: EncodeOptions) {
    settings = TIFFEncodeSettings(options)
    profile = metadata.iccProfile.flatMap { $0.isEmpty ? nil : $0 }
    isGrayProfile = profile?.isGrayProfile ?? false
    orientation = metadata.orientation
    kept = KeptMetadata(metadata, options)
  }

  /// Adds a page.
  mutating func add(_ bitmap: Bitmap, page: Int, of count: Int, work: WorkContext) throws(ImageError) {
    let pixels = try TIFFWrittenPixels(bitmap, mayBeGray: profile == nil || isGrayProfile, work: work)
    let start = file.count
    let strips = try TIFFStripWriter(pixels, settings).write(to: &file, work: work)
    var entries = pixels.entries
    entries += [
      TIFFBlockEntry(TIFFTag.compression, type: 3, [settings.tag]),
      TIFFBlockEntry(
        TIFFTag.stripOffsets, type: 4, strips.counts.dropLast().reduce(into: [start]) { $0.append($0.last! + $1) }),
      TIFFBlockEntry(TIFFTag.rowsPerStrip, type: 4, [strips.rows]),
      TIFFBlockEntry(TIFFTag.stripByteCounts, type: 4, strips.counts),
    ]
    if settings.predicts { entries.append(TIFFBlockEntry(TIFFTag.predictor, type: 3, [2])) }
    if orientation != .up { entries.append(TIFFBlockEntry(TIFFTag.orientation, type: 3, [orientation.rawValue])) }
    if let profile { entries.append(block(TIFFTag.profile, profile)) }
    if count > 1 {
      entries.append(TIFFBlockEntry(TIFFTag.subfileType, type: 4, [2]))
      entries.append(
        TIFFBlockEntry(TIFFTag.pageNumber, type: 3, [page, count].map { min($0, Int(UInt16.max)) }))
    }
    entries += try metadata(isFirst: page == 0)
    var directory = TIFFBlockWriter(isBigEndian: false, start: file.count)
    let places = directory.write(entries)
    file.append(directory.bytes)
    file.replaceSubrange(link..<link + 4, with: TIFFBlockWriter.bytes(of: places.offset, count: 4, isBigEndian: false))
    link = places.link
  }

  private func block(_ tag: Int, _ bytes: Data) -> TIFFBlockEntry {
    TIFFBlockEntry(tag: tag, type: tag == TIFFTag.xmp ? 1 : 7, count: bytes.count, content: .bytes(Array(bytes)))
  }

  private func metadata(isFirst: Bool) throws(ImageError) -> [TIFFBlockEntry] {
    var entries: [TIFFBlockEntry] = []
    if let density = kept.density, let horizontal = Self.fraction(density.horizontal),
      let vertical = Self.fraction(density.vertical)
    {
      entries = [
        TIFFBlockEntry(TIFFTag.horizontalResolution, type: 5, horizontal),
        TIFFBlockEntry(TIFFTag.verticalResolution, type: 5, vertical),
        TIFFBlockEntry(TIFFTag.resolutionUnit, type: 3, [2]),
      ]
    }
    guard isFirst else { return entries }
    if let xmp = kept.xmp, !xmp.isEmpty { entries.append(block(TIFFTag.xmp, xmp)) }
    if let exif = kept.exif { entries += try Self.entries(of: exif) }
    return entries
  }

  private static func fraction(_ density: Double) -> [Int]? {
    guard density > 0, density < 4_000_000 else { return nil }
    return [Int((density * 1000).rounded()), 1000]
  }

  /// The entries of a block, in little-endian order.
  private static func entries(of exif: EXIF) throws(ImageError) -> [TIFFBlockEntry] {
    let bytes = ImageBytes(exif.bytes)
    guard let order = TIFFSignature.order(of: try bytes.prefix(4)), !order.isBig else { return [] }
    let reader = TIFFDirectoryReader(bytes: bytes, isBigEndian: order.isBigEndian, isBig: false)
    guard let offset = reader.number(try bytes.part(at: 4, count: 4)[...]),
      let directory = try reader.directory(at: offset)
    else { return [] }
    let entries = try TIFFBlock(reader: reader, mostBytes: bytes.count).entries(of: directory)
    return order.isBigEndian ? entries.map(\.swapped) : entries
  }
}
