import EaselCore

/// Reads the pixels of a QOI file in order.
struct QOIPixelReader {
  private(set) var reader: ByteReader
  private var pixel = QOIPixel.qoiStart
  private var seen = [QOIPixel](repeating: QOIPixel(), count: 64)
  private var run = 0

  init(_ bytes: ImageBytes) { reader = ByteReader(bytes, at: QOIHeader.byteCount) }

  /// The next pixel; nil when the file ends before it.
  mutating func next() throws(ImageError) -> QOIPixel? {
    if run > 0 {
      run -= 1
      return pixel
    }
    guard let code = try reader.next() else { return nil }
    switch code {
    case 0xFE, 0xFF:
      guard let red = try reader.next(), let green = try reader.next(), let blue = try reader.next() else { return nil }
      var alpha = pixel.w
      if code == 0xFF {
        guard let byte = try reader.next() else { return nil }
        alpha = byte
      }
      pixel = QOIPixel(red, green, blue, alpha)
    case 0..<0x40: pixel = seen[Int(code)]
    case 0x40..<0x80:
      pixel &+= QOIPixel(code >> 4 & 3, code >> 2 & 3, code & 3, 0) &- QOIPixel(2, 2, 2, 0)
    case 0x80..<0xC0:
      guard let more = try reader.next() else { return nil }
      let green = (code & 0x3F) &- 32
      pixel &+= QOIPixel(green &- 8 &+ (more >> 4), green, green &- 8 &+ (more & 15), 0)
    default: run = Int(code & 0x3F)
    }
    seen[pixel.qoiPlace] = pixel
    return pixel
  }

  /// The bytes after the last pixel.
  static let end: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

  /// Reads the bytes after the last pixel; returns false if they are not those of the format.
  mutating func readEnd() throws(ImageError) -> Bool {
    guard run == 0 else { return false }
    for byte in Self.end { guard try reader.next() == byte else { return false } }
    return true
  }
}
