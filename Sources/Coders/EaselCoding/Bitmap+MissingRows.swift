import EaselCore
import EaselPixels

extension Bitmap {
  /// Fills missing rows with the mean colour of a present row, so that a picture in a format without alpha stays
  /// opaque.
  package mutating func fillMissing(_ rows: Range<Int>, likeRow row: Int) {
    guard (0..<height).contains(row), format.layout == .rgba8 else { return }
    assumeAlpha(.opaque)
    guard !rows.isEmpty else { return }
    var (red, green, blue) = (0, 0, 0)
    withUnsafeBytes { bytes in
      let start = row * bytesPerRow
      for place in stride(from: start, to: start + width * 4, by: 4) {
        red += Int(bytes[place])
        green += Int(bytes[place + 1])
        blue += Int(bytes[place + 2])
      }
    }
    let half = width / 2
    let color = PixelColor(
      red: UInt8((red + half) / width), green: UInt8((green + half) / width), blue: UInt8((blue + half) / width))
    fill(color, in: PixelRect(x: 0, y: rows.lowerBound, width: width, height: rows.count))
  }
}
