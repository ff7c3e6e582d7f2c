import EaselCore
import EaselTestPixels

/// Bitmaps of every format that follow the format's rule about alpha.
enum BitmapSamples {
  static let formats: [PixelFormat] =
    PixelFormat.Layout.allCases.flatMap { layout in
      layout == .gray8 ? [.gray8] : PixelFormat.Alpha.allCases.map { PixelFormat(layout, alpha: $0) }
    }

  static func bitmap(width: Int, height: Int, seed: UInt64 = 1, _ format: PixelFormat) throws -> Bitmap {
    try .noise(width, height, format, seed: seed)
  }

  /// A large opaque picture.
  static func large(width: Int, height: Int) throws -> Bitmap { try .noise(width, height, .opaqueRGBA8) }

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
