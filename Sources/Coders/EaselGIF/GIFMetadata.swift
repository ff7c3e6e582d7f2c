import EaselCore
import FoundationEssentials

/// What applications store beside the frames.
enum GIFMetadata {
  /// What follows XMP: from wherever it is stepped into as sub-blocks, it leads to its end.
  static let xmpTrailer: [UInt8] = [1] + (0...255).reversed().map { UInt8($0) } + [0]

  /// XMP as its application block holds it, nil when it is empty.
  ///
  /// It is stored as it is, not as the content of sub-blocks, though some programs do that.
  static func xmp(in blocks: Range<Int>, _ window: GIFWindow) throws(ImageError) -> Data? {
    let all = try window.part(at: blocks.lowerBound, count: blocks.count)
    let isRaw = all.count >= xmpTrailer.count && all.suffix(xmpTrailer.count).elementsEqual(xmpTrailer)
    let packet = isRaw ? Array(all.dropLast(xmpTrailer.count)) : try window.content(of: blocks)
    return packet.isEmpty ? nil : Data(packet)
  }

  /// An ICC profile as its application block holds it, nil when it is empty.
  static func profile(in blocks: Range<Int>, _ window: GIFWindow) throws(ImageError) -> Data? {
    let content = try window.content(of: blocks)
    return content.isEmpty ? nil : Data(content)
  }
}
