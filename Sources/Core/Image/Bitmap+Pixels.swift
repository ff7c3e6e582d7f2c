extension Bitmap {
  /// The colour of a pixel, counted from the top left corner; nil outside the picture.
  ///
  /// The result has straight alpha and 8 bits per component, whatever the format of the bitmap. For many pixels use
  /// ``pixels(in:)`` or read the bytes.
  public func pixel(x: Int, y: Int) -> PixelColor? {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    return withUnsafeBytes { color(in: $0, at: y * bytesPerRow + x * format.bytesPerPixel) }
  }

  /// The colours of a rectangle, row by row.
  ///
  /// Pixels outside the picture are left out.
  ///
  /// The results have straight alpha and 8 bits per component, whatever the format of the bitmap.
  public func pixels(in rect: PixelRect) -> [PixelColor] {
    let part = rect.intersection(PixelRect(covering: size))
    var colors: [PixelColor] = []
    colors.reserveCapacity(part.size.area)
    withUnsafeBytes { bytes in
      for y in part.y..<part.y + part.height {
        for x in part.x..<part.x + part.width {
          colors.append(color(in: bytes, at: y * bytesPerRow + x * format.bytesPerPixel))
        }
      }
    }
    return colors
  }

  private func color(in bytes: UnsafeRawBufferPointer, at place: Int) -> PixelColor {
    let stored: (red: Int, green: Int, blue: Int, alpha: Int)
    switch format.layout {
    case .gray8: stored = (Int(bytes[place]), Int(bytes[place]), Int(bytes[place]), 255)
    case .rgba8: stored = (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]), Int(bytes[place + 3]))
    case .bgra8: stored = (Int(bytes[place + 2]), Int(bytes[place + 1]), Int(bytes[place]), Int(bytes[place + 3]))
    case .rgba16:
      let words = (0..<4).map { Int(bytes.loadUnaligned(fromByteOffset: place + 2 * $0, as: UInt16.self)) }
      stored = (words[0], words[1], words[2], words[3])
    }
    let most = format.layout == .rgba16 ? 65_535 : 255
    let isPremultiplied = format.alpha == .premultiplied
    let divisor = isPremultiplied ? stored.alpha : most
    func component(_ value: Int) -> UInt8 {
      guard divisor > 0 else { return 0 }
      return UInt8(min(255, (value * 255 + divisor / 2) / divisor))
    }
    let alpha = format.alpha == .opaque ? 255 : (stored.alpha * 255 + most / 2) / most
    return PixelColor(
      red: component(stored.red), green: component(stored.green), blue: component(stored.blue), alpha: UInt8(alpha))
  }
}
