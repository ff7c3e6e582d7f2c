import EaselCore
import FoundationEssentials

/// An EXIF block, of which only the orientation, the density and the copyright are read.
///
/// Any number in the block may be wrong. Nothing outside the block is read.
public struct EXIF: Sendable {
  /// The block, starting at its TIFF header.
  public private(set) var bytes: Data
  /// The orientation in the block, nil if missing or invalid.
  public private(set) var orientation: ImageMetadata.Orientation?
  private let isBigEndian: Bool

  /// Takes a block that may begin with the `Exif` marker of a JPEG; returns nil if the TIFF header is missing.
  public init?(_ block: Data) {
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
    orientation = orientationPlace.flatMap { number(at: $0, bytes: 2) }.flatMap(ImageMetadata.Orientation.init)
  }

  /// Creates the smallest block that states an orientation.
  public init(orientation: ImageMetadata.Orientation) {
    let block: [UInt8] = [
      0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0, 0, 0,
      0, 0,
    ]
    bytes = Data(block)
    self.orientation = orientation
    isBigEndian = true
  }

  /// Returns this block with another orientation; a block without an orientation stays as it is.
  public func stating(_ orientation: ImageMetadata.Orientation) -> EXIF {
    guard let place = orientationPlace else { return self }
    var result = self
    result.orientation = orientation
    result.bytes[place] = isBigEndian ? 0 : UInt8(orientation.rawValue)
    result.bytes[place + 1] = isBigEndian ? UInt8(orientation.rawValue) : 0
    return result
  }

  /// Returns a block with only the artist, the copyright and the orientation.
  ///
  /// Returns nil if this block has neither artist nor copyright.
  public func copyright(stating orientation: ImageMetadata.Orientation) -> EXIF? {
    let notices = [0x013B, 0x8298].compactMap { tag in text(tagged: tag).map { (tag: tag, text: $0) } }
    guard !notices.isEmpty else { return nil }
    let count = notices.count + 1
    // The directory ends with the offset of the next directory, which is 0. The texts follow.
    var offset = 8 + 2 + 12 * count + 4
    var block: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, UInt8(count)]
    block += [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0]
    for (tag, text) in notices {
      block += [UInt8(tag >> 8), UInt8(tag & 255), 0, 2] + Self.bigEndian(text.count)
      if text.count <= 4 {
        block += text + [UInt8](repeating: 0, count: 4 - text.count)
      } else {
        block += Self.bigEndian(offset)
        offset += text.count
      }
    }
    block += [0, 0, 0, 0] + notices.map(\.text).filter { $0.count > 4 }.joined()
    return EXIF(Data(block))
  }

  private static func bigEndian(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// The bytes of the text with this tag, nil if the text is missing, empty, or incomplete.
  private func text(tagged tag: Int) -> [UInt8]? {
    guard let entry = entry(tagged: tag, type: 2, count: nil), let count = number(at: entry + 4, bytes: 4), count > 0,
      let place = count <= 4 ? entry + 8 : number(at: entry + 8, bytes: 4), place <= bytes.count,
      count <= bytes.count - place
    else { return nil }
    return Array(bytes[place..<place + count])
  }

  /// The density in the block, nil without a density in inches or centimetres.
  public var density: ImageMetadata.Density? {
    guard let horizontal = fraction(tagged: 0x011A), let vertical = fraction(tagged: 0x011B) else { return nil }
    let unit = entry(tagged: 0x0128, type: 3).flatMap { number(at: $0 + 8, bytes: 2) } ?? 2
    guard unit == 2 || unit == 3, horizontal > 0, vertical > 0 else { return nil }
    let perInch = unit == 2 ? 1 : 2.54
    return ImageMetadata.Density(horizontal: horizontal * perInch, vertical: vertical * perInch)
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

  /// The offset of the first entry with the tag, nil unless the entry has `expected` values of the type.
  private func entry(tagged wanted: Int, type: Int, count expected: Int? = 1) -> Int? {
    guard let directory = number(at: 4, bytes: 4), let count = number(at: directory, bytes: 2) else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = number(at: entry, bytes: 2) else { return nil }
      guard tag == wanted else { continue }
      let values = number(at: entry + 4, bytes: 4)
      return number(at: entry + 2, bytes: 2) == type && values == expected ?? values ? entry : nil
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
