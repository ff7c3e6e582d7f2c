import EaselCore

/// Reads the pixels one after another, and never reads beyond the bytes.
struct QOIDecoder {
  private let bytes: UnsafeRawBufferPointer
  private let keepsAlpha: Bool
  private var offset: Int
  private var pixel = QOIPixel()
  private var seen = [QOIPixel](repeating: .nothing, count: 64)
  private var run = 0

  init(_ bytes: UnsafeRawBufferPointer, at offset: Int, keepsAlpha: Bool) {
    self.bytes = bytes
    self.offset = offset
    self.keepsAlpha = keepsAlpha
  }

  /// Fills the rows of a bitmap and returns the number of complete rows; missing pixels are black, or transparent with
  /// alpha.
  mutating func fill(_ bitmap: inout Bitmap, work: WorkContext) throws -> Int {
    let (width, height, bytesPerRow) = (bitmap.width, bitmap.height, bitmap.bytesPerRow)
    return try bitmap.withUnsafeMutableBytes { pixels in
      for row in 0..<height {
        if row % 16 == 0 { try work.checkCancellation() }
        for column in 0..<width {
          let start = row * bytesPerRow + column * 4
          guard readPixel() else {
            // In a picture that claims to be opaque every pixel is opaque.
            if !keepsAlpha { Self.makeOpaque(pixels, from: start) }
            return row
          }
          pixels[start] = pixel.red
          pixels[start + 1] = pixel.green
          pixels[start + 2] = pixel.blue
          pixels[start + 3] = keepsAlpha ? pixel.alpha : 255
        }
      }
      return height
    }
  }

  private static func makeOpaque(_ pixels: UnsafeMutableRawBufferPointer, from start: Int) {
    for alpha in stride(from: start + 3, to: pixels.count, by: 4) { pixels[alpha] = 255 }
  }

  private mutating func readPixel() -> Bool {
    if run > 0 {
      run -= 1
      return true
    }
    guard let first = readByte(), apply(first) else { return false }
    seen[pixel.place] = pixel
    return true
  }

  private mutating func readByte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  private mutating func apply(_ first: UInt8) -> Bool {
    switch first {
    case 0xFE: return readColor()
    case 0xFF:
      guard readColor(), let alpha = readByte() else { return false }
      pixel.alpha = alpha
    case 0x00...0x3F: pixel = seen[Int(first)]
    case 0x40...0x7F:
      pixel.red &+= (first >> 4 & 3) &- 2
      pixel.green &+= (first >> 2 & 3) &- 2
      pixel.blue &+= (first & 3) &- 2
    case 0x80...0xBF:
      guard let second = readByte() else { return false }
      let green = (first & 0x3F) &- 32
      pixel.red &+= green &- 8 &+ (second >> 4)
      pixel.green &+= green
      pixel.blue &+= green &- 8 &+ (second & 0xF)
    default: run = Int(first & 0x3F)
    }
    return true
  }

  private mutating func readColor() -> Bool {
    guard let red = readByte(), let green = readByte(), let blue = readByte() else { return false }
    (pixel.red, pixel.green, pixel.blue) = (red, green, blue)
    return true
  }
}
