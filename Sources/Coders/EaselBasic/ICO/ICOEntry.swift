import EaselCore

/// One picture of an icon.
struct ICOEntry {
  /// The offset of the picture's first byte.
  let offset: Int
  /// The number of the picture's bytes, as the directory states it.
  let count: Int
  let size: PixelSize
  let bitsPerPixel: Int
  /// The depth that the directory states.
  ///
  /// For a PNG of full depth, it is the depth of the colours from which the PNG was made.
  let statedBits: Int
  /// The header of a bitmap; nil for a PNG.
  let bitmap: BMPHeader?

  private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The result of reading an entry of the directory.
  enum Reading {
    case part(ICOEntry)
    /// The file ends before the header of the picture does.
    case cut
    case unknown
  }

  static func read(_ bytes: ImageBytes, offset: Int, count: Int, statedBits: Int) throws(ImageError) -> Reading {
    let start = try bytes.part(at: offset, count: BMPHeader.mostBytes)
    guard start.count >= 26 else { return .cut }
    if start.starts(with: pngSignature) {
      func number(at place: Int) -> Int { start[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
      let size = PixelSize(width: number(at: 16), height: number(at: 20))
      guard !size.isEmpty, size.width <= Int32.max, size.height <= Int32.max else { return .unknown }
      let samples = [2: 3, 4: 2, 6: 4][start[25]] ?? 1
      return .part(
        ICOEntry(
          offset: offset, count: count, size: size, bitsPerPixel: Int(start[24]) * samples, statedBits: statedBits,
          bitmap: nil))
    }
    guard let header = try? BMPHeader(start).withoutMask() else {
      return start.count < BMPHeader.mostBytes && start.count < start.little32(at: 0) ? .cut : .unknown
    }
    guard header.compression == .none || header.compression == .fields else { return .unknown }
    return .part(
      ICOEntry(
        offset: offset, count: count, size: header.size, bitsPerPixel: header.bitsPerPixel, statedBits: statedBits,
        bitmap: header))
  }

  /// True if this picture is larger than the other, or of the same size and deeper.
  ///
  /// For PNGs of the same depth the directory decides, because some programs make such PNGs from fewer colours.
  func isBetter(than other: ICOEntry) -> Bool {
    (size.area, bitsPerPixel, statedBits) > (other.size.area, other.bitsPerPixel, other.statedBits)
  }

  /// True if this size has about the ratio of `full`; the sides are rounded to whole pixels.
  func hasRatio(of full: PixelSize) -> Bool {
    let (left, overflows) = size.width.multipliedReportingOverflow(by: full.height)
    let (right, overflowsToo) = size.height.multipliedReportingOverflow(by: full.width)
    return !overflows && !overflowsToo && abs(left - right) <= max(full.width, full.height)
  }
}
