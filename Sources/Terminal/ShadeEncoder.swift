import EaselCore

/// Draws with five shades and no colour: each cell has the mean brightness of its two pixels.
enum ShadeEncoder {
  static let shades: [Character] = [" ", "░", "▒", "▓", "█"]

  static func encode(_ bitmap: Bitmap) -> [UInt8] {
    bitmap.withPixels { pixel in
      var text = ""
      for row in stride(from: 0, to: bitmap.height, by: 2) {
        for column in 0..<bitmap.width {
          let lower = row + 1 < bitmap.height ? light(pixel(column, row + 1)) : 0
          let mean = (light(pixel(column, row)) + lower) / 2
          text.append(shades[min(shades.count - 1, mean * shades.count / 256)])
        }
        text += "\n"
      }
      return Array(text.utf8)
    }
  }

  /// The brightness of a pixel; transparent pixels count as dark, like the assumed background.
  private static func light(_ pixel: (UInt8, UInt8, UInt8, UInt8)) -> Int {
    (Int(pixel.0) * 54 + Int(pixel.1) * 183 + Int(pixel.2) * 19) / 256 * Int(pixel.3) / 255
  }
}
