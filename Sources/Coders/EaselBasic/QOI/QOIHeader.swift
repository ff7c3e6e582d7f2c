import EaselCore

/// The 14 bytes at the start of a QOI file.
struct QOIHeader {
  let size: PixelSize
  let hasAlpha: Bool

  static let byteCount = 14
  static let signature = Array("qoif".utf8)

  /// Returns nil unless every value is possible.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount, bytes.starts(with: Self.signature), bytes[12] == 3 || bytes[12] == 4,
      bytes[13] <= 1
    else { return nil }
    func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
    size = PixelSize(width: number(at: 4), height: number(at: 8))
    hasAlpha = bytes[12] == 4
  }

  init(size: PixelSize, hasAlpha: Bool) {
    self.size = size
    self.hasAlpha = hasAlpha
  }

  var bytes: [UInt8] {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    return Self.signature + number(size.width) + number(size.height) + [hasAlpha ? 4 : 3, 0]
  }

  var imageHeader: ImageHeader { ImageHeader(format: .qoi, storedSize: size, hasAlpha: hasAlpha) }
}
