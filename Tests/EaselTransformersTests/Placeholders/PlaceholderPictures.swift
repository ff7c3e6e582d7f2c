import EaselCore
import EaselPixels
import EaselTestPixels

/// The synthetic pictures whose placeholders other programs computed.
enum PlaceholderPictures {
  /// A gradient without symmetry: where a sum is exactly zero, the last bit of rounding decides about a hash.
  static func gradient(_ width: Int, _ height: Int) throws -> Bitmap {
    try Bitmap(width, height, .opaqueRGBA8) { x, y in
      [
        x * (x + y) * 255 / ((width - 1) * (width + height - 2)), y * 255 / (height - 1),
        (x * 3 + y * 5) % 256 / 2, 255,
      ]
    }
  }

  static func board(_ width: Int, _ height: Int) throws -> Bitmap {
    try Bitmap(width, height, .opaqueRGBA8) { x, y in
      (x / 7 + y / 5) % 2 == 0 ? [200, 30, 60, 255] : [20, 160, 240, 255]
    }
  }

  /// A picture with all levels of alpha.
  static func fade(_ width: Int, _ height: Int) throws -> Bitmap {
    try Bitmap(width, height, .rgba8) { x, y in [250 - x * 2, y * 3, 40 + x, (x * x + 3 * y) % 256] }
  }

  /// A picture without symmetry, fine and rough at once.
  static func uneven(_ width: Int, _ height: Int) throws -> Bitmap {
    try Bitmap(width, height, .opaqueRGBA8) { x, y in
      [(x * x + 7 * y) % 251, (x * 3 + y * y) % 241, (x * y + 5 * x + 11) % 239, 255]
    }
  }

  /// All formats of pixels with alpha.
  static let alphaFormats: [PixelFormat] = [PixelFormat.Layout.rgba8, .bgra8, .rgba16].flatMap { layout in
    [PixelFormat(layout, alpha: .straight), PixelFormat(layout, alpha: .premultiplied)]
  }

  static let opaqueFormats: [PixelFormat] = [PixelFormat.Layout.rgba8, .bgra8, .rgba16].map {
    PixelFormat($0, alpha: .opaque)
  }

  /// The error that `body` throws; nil if it throws none.
  static func code(of body: () throws(ImageError) -> Void) -> ImageError.Code? {
    do throws(ImageError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }
}
