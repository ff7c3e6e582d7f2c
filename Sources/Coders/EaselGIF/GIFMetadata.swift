import EaselCore
import FoundationEssentials

/// Reads the metadata that applications store beside the frames.
enum GIFMetadata {
  /// The bytes after the XMP packet.
  ///
  /// A reader that takes these bytes for sub-blocks always reaches their end.
  static let xmpTrailer: [UInt8] = [1] + (0...255).reversed().map { UInt8($0) } + [0]

  /// The XMP of an application block, nil when it is empty.
  ///
  /// XMP is normally stored as it is, without sub-blocks, but some programs cut it into sub-blocks.
  static func xmp(in blocks: Range<Int>, _ window: GIFWindow) throws(ImageError) -> Data? {
    let all = try window.bytes.part(at: blocks.lowerBound, count: blocks.count)
    let isRaw = all.count >= xmpTrailer.count && all.suffix(xmpTrailer.count).elementsEqual(xmpTrailer)
    let packet = isRaw ? Array(all.dropLast(xmpTrailer.count)) : try window.content(of: blocks)
    return packet.isEmpty ? nil : Data(packet)
  }

  /// The ICC profile of an application block, nil when it is empty.
  static func profile(in blocks: Range<Int>, _ window: GIFWindow) throws(ImageError) -> Data? {
    let content = try window.content(of: blocks)
    return content.isEmpty ? nil : Data(content)
  }
}
