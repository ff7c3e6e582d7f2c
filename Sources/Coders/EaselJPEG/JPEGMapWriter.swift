import CEaselJPEG
import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes the gain map of a picture as a second JPEG behind the first.
///
/// Readers find it by the index of pictures (MPF) or by the directory in XMP, and its numbers in XMP or in the block of
/// ISO 21496-1, so all of them are written.
struct JPEGMapWriter {
  private let map: GainMap
  /// The size of the picture that the map belongs to.
  private let base: PixelSize
  private let work: WorkContext

  /// The quality of a map in grey and in colours, unless the file has to become smaller.
  ///
  /// A wrong gain is seen in all that is bright. At these, few values are off by more than two.
  private static let (grayQuality, colorQuality) = (1.0, 0.98)
  /// A map of a lower quality is not much smaller.
  private static let leastQuality = 0.5

  /// Returns nil for a map that cannot be written.
  init?(_ image: Image, options: EncodeOptions, work: WorkContext) {
    guard options.keepsGainMap, var map = image.metadata.gainMap,
      // Both forms of the numbers must be the same.
      let formula = GainMap.Formula(iso21496: map.formula.iso21496)
    else { return nil }
    map.formula = formula
    self.map = map
    self.work = work
    base = image.size
  }

  /// The file of the map for the picture at this size; with a quality if the file has to become smaller.
  func file(for size: PixelSize, quality: Double?) throws(ImageError) -> Data {
    let mapSize = map.bitmap.size.scaled(as: base, to: size)
    let samples = try JPEGWrittenSamples(
      map.bitmap, size: mapSize, background: .black, mayBeGray: true, work: work)
    let best = samples.isGray ? Self.grayQuality : Self.colorQuality
    let quality = max(Self.leastQuality, min(best, quality ?? best))
    let layout = easel_jpeg_layout(
      width: UInt32(mapSize.width), height: UInt32(mapSize.height), is_gray: samples.isGray,
      quality: Int32((quality * 100).rounded()), columns_per_color: 1, rows_per_color: 1,
      is_progressive: false, is_optimized: true, is_thrifty: false, is_smallest: false,
      has_restarts: false, horizontal_density: 0, vertical_density: 0)
    return try JPEGWriter(layout).write(samples, Self.numbers(of: map.formula), work: work)
  }

  /// The segments of a map's own picture.
  static func numbers(of formula: GainMap.Formula) -> [(marker: Int32, bytes: [UInt8])] {
    [
      (0xE1, JPEGScanner.xmpMarker + XMPGainMap.packet(of: formula)),
      (0xE2, JPEGScanner.isoMarker + formula.iso21496),
    ]
  }

  /// The segments of the first picture that say that a map follows; the index is filled in by ``joined(_:_:)``.
  static var announcements: [(marker: Int32, bytes: [UInt8])] {
    let index = MultiPictureIndex.content(firstBytes: 0, secondBytes: 0, secondOffset: 0)
    return [(0xE2, JPEGScanner.isoMarker + [0, 0, 0, 0]), (0xE2, MultiPictureIndex.marker + index)]
  }

  /// Both pictures in one file.
  static func joined(_ picture: Data, _ map: Data) -> Data {
    var file = picture
    if let start = indexStart(in: picture) {
      let index = MultiPictureIndex.content(
        firstBytes: picture.count, secondBytes: map.count, secondOffset: picture.count - start)
      file.replaceSubrange(start..<start + index.count, with: index)
    }
    return file + map
  }

  /// The offset of the byte order mark of the index, from which its offsets count.
  private static func indexStart(in file: Data) -> Int? {
    var place = 2
    while place + 4 <= file.count, file[place] == 0xFF, file[place + 1] != 0xDA {
      let length = Int(file[place + 2]) << 8 | Int(file[place + 3])
      let content = place + 4
      if file[place + 1] == 0xE2, file[content...].starts(with: MultiPictureIndex.marker) {
        return content + MultiPictureIndex.marker.count
      }
      place += 2 + length
    }
    return nil
  }
}
