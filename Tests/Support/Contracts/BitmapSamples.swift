import EaselCore

/// Bitmaps of every format that follow the format's rule about alpha.
enum BitmapSamples {
  static let formats: [PixelFormat] =
    PixelFormat.Layout.allCases.flatMap { layout in
      layout == .gray8 ? [.gray8] : PixelFormat.Alpha.allCases.map { PixelFormat(layout, alpha: $0) }
    }

  static func bitmap(width: Int, height: Int, seed: UInt64 = 1, _ format: PixelFormat) throws -> Bitmap {
    var random = SeededRandom(seed: seed)
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: format)
    let bytesPerComponent = format.layout.bitsPerComponent / 8
    let limit = bytesPerComponent == 2 ? 65_535 : 255
    bitmap.withUnsafeMutableBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: format.bytesPerPixel) {
        let alpha = format.alpha == .opaque ? limit : Int.random(in: 0...limit, using: &random)
        let most = format.alpha == .premultiplied ? alpha : limit
        let components = format.bytesPerPixel / bytesPerComponent
        for component in 0..<components {
          let isAlpha = components == 4 && component == 3
          let value = isAlpha ? alpha : Int.random(in: 0...most, using: &random)
          let place = start + component * bytesPerComponent
          if bytesPerComponent == 2 {
            bytes.storeBytes(of: UInt16(value), toByteOffset: place, as: UInt16.self)
          } else {
            bytes[place] = UInt8(value)
          }
        }
      }
    }
    return bitmap
  }

  /// A large opaque picture, made row by row because single pixels are slow under a sanitizer.
  ///
  /// Each row is the row above, shifted sideways.
  static func large(width: Int, height: Int) throws -> Bitmap {
    var random = SeededRandom(seed: 1)
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    let noise = (0..<width + 7 * height).flatMap { _ in
      let bits = random.next()
      return [
        UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits >> 16),
        255,
      ]
    }
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        let row = UnsafeMutableRawBufferPointer(rebasing: bytes[(y * stride)...].prefix(width * 4))
        row.copyBytes(from: noise[(y * 28)...].prefix(row.count))
      }
    }
    return bitmap
  }

  /// True when opaque formats have maximal alpha, and no component of a premultiplied format exceeds alpha.
  static func keepsItsAlpha(_ bitmap: Bitmap) -> Bool {
    let format = bitmap.format
    guard format.layout != .gray8, format.alpha != .straight else { return true }
    let bytesPerComponent = format.layout.bitsPerComponent / 8
    return bitmap.withUnsafeBytes { bytes in
      func component(_ index: Int, _ start: Int) -> Int {
        let place = start + index * bytesPerComponent
        return bytesPerComponent == 2
          ? Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self)) : Int(bytes[place])
      }
      return (0..<bitmap.height).allSatisfy { y in
        (0..<bitmap.width).allSatisfy { x in
          let start = y * bitmap.bytesPerRow + x * format.bytesPerPixel
          let alpha = component(3, start)
          if format.alpha == .opaque { return alpha == (bytesPerComponent == 2 ? 65_535 : 255) }
          return (0..<3).allSatisfy { component($0, start) <= alpha }
        }
      }
    }
  }
}
