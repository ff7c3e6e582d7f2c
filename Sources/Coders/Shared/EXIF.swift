import EaselCore
import FoundationEssentials

/// An EXIF block, of which only the orientation and the density are read.
///
/// Any number in the block may be wrong; nothing outside its bytes is read.
package struct EXIF {
  /// The block from its TIFF header on.
  package private(set) var bytes: Data
  /// The orientation in the block, nil if missing or invalid.
  package private(set) var orientation: ImageOrientation?
  private let isBigEndian: Bool

  /// Takes a block that may begin with JPEG's `Exif` marker; returns nil without a TIFF header.
  package init?(_ block: Data) {
    var bytes = block
    if bytes.starts(with: Self.marker) { bytes = bytes.dropFirst(Self.marker.count) }
    if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) {
      isBigEndian = false
    } else if bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      isBigEndian = true
    } else {
      return nil
    }
    // Offsets count from the TIFF header.
    self.bytes = Data(bytes)
    orientation = orientationPlace.flatMap { number(at: $0, bytes: 2) }.flatMap(ImageOrientation.init)
  }

  /// The smallest block with an orientation.
  package init(orientation: ImageOrientation) {
    let block: [UInt8] = [
      0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0, 0, 0,
      0, 0,
    ]
    bytes = Data(block)
    self.orientation = orientation
    isBigEndian = true
  }

  /// The same block with another orientation; a block without an orientation stays as it is.
  package func stating(_ orientation: ImageOrientation) -> EXIF {
    guard let place = orientationPlace else { return self }
    var result = self
    result.orientation = orientation
    result.bytes[place] = isBigEndian ? 0 : UInt8(orientation.rawValue)
    result.bytes[place + 1] = isBigEndian ? UInt8(orientation.rawValue) : 0
    return result
  }

  /// The density in the block, nil when it has none in inches or centimetres.
  package var density: PixelDensity? {
    guard let horizontal = fraction(tagged: 0x011A), let vertical = fraction(tagged: 0x011B) else { return nil }
    let unit = entry(tagged: 0x0128, type: 3).flatMap { number(at: $0 + 8, bytes: 2) } ?? 2
    guard unit == 2 || unit == 3, horizontal > 0, vertical > 0 else { return nil }
    let perInch = unit == 2 ? 1 : 2.54
    return PixelDensity(horizontal: horizontal * perInch, vertical: vertical * perInch)
  }

  /// The offset of the two bytes of the orientation.
  private var orientationPlace: Int? {
    entry(tagged: 0x0112, type: 3).flatMap { $0 + 10 <= bytes.count ? $0 + 8 : nil }
  }

  private func fraction(tagged tag: Int) -> Double? {
    guard let entry = entry(tagged: tag, type: 5), let place = number(at: entry + 8, bytes: 4),
      let above = number(at: place, bytes: 4), let below = number(at: place + 4, bytes: 4), below > 0
    else { return nil }
    return Double(above) / Double(below)
  }

  /// The offset of the first entry with a tag, nil unless it has one value of this type.
  private func entry(tagged wanted: Int, type: Int) -> Int? {
    guard let directory = number(at: 4, bytes: 4), let count = number(at: directory, bytes: 2) else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = number(at: entry, bytes: 2) else { return nil }
      guard tag == wanted else { continue }
      return number(at: entry + 2, bytes: 2) == type && number(at: entry + 4, bytes: 4) == 1 ? entry : nil
    }
    return nil
  }

  private func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    let part = bytes[offset..<offset + count]
    return isBigEndian ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static let marker: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
}
