import EaselCore

extension Bitmap {
  /// An invented landscape with a sky, a sun and two rows of hills; it differs for each `number`.
  public static func landscape(_ number: Int, width: Int = 640, height: Int = 400) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    let bytesPerRow = bitmap.bytesPerRow
    let sun = (x: (number * 211 + 120) % width, y: height / 4, radius: height / 9)
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          var color = [120 + y * 100 / height, 150 + y * 60 / height, 220]
          if (x - sun.x) * (x - sun.x) + (y - sun.y) * (y - sun.y) < sun.radius * sun.radius {
            color = [255, 220, 120]
          }
          if y > hill(x + number * 97, period: width / 3 + 1, height: height / 4, base: height * 3 / 4) {
            color = [70, 110 + number * 31 % 60, 90]
          }
          if y > hill(x + number * 53, period: width / 2 + 1, height: height / 5, base: height * 9 / 10) {
            color = [40, 80, 50 + number * 17 % 40]
          }
          let start = y * bytesPerRow + x * 4
          for component in 0..<3 { bytes[start + component] = UInt8(min(255, color[component])) }
          bytes[start + 3] = 255
        }
      }
    }
    return bitmap
  }

  /// The upper edge of a row of round hills.
  private static func hill(_ x: Int, period: Int, height: Int, base: Int) -> Int {
    let place = x % period
    return base - 4 * height * place * (period - place) / (period * period)
  }
}
