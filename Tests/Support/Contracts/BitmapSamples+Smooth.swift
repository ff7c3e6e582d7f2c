import EaselCore
import Glibc

extension BitmapSamples {
  /// An opaque picture without hard edges, like a photograph, so that decoding it smaller changes it little.
  static func smooth(width: Int, height: Int) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    let stride = bitmap.bytesPerRow
    // A slope that rises and falls once over the picture.
    func slope(_ place: Int, of count: Int) -> Int { min(place, count - 1 - place) * 400 / max(1, count) }
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let start = y * stride + x * 4
          bytes[start] = UInt8(20 + x * 200 / max(1, width))
          bytes[start + 1] = UInt8(20 + slope(y, of: height))
          bytes[start + 2] = UInt8(20 + (slope(x, of: width) + slope(y, of: height)) / 2)
          bytes[start + 3] = 255
        }
      }
    }
    return bitmap
  }

  /// An opaque picture reduced by a whole factor; each pixel is the mean of the pixels that it replaces.
  static func reduced(_ bitmap: Bitmap, by factor: Int) throws -> Bitmap {
    let size = PixelSize(width: bitmap.width / factor, height: bitmap.height / factor)
    var small = try Bitmap(size: size, format: bitmap.format)
    let (from, to, count) = (bitmap.bytesPerRow, small.bytesPerRow, factor * factor)
    bitmap.withUnsafeBytes { source in
      small.withUnsafeMutableBytes { target in
        for y in 0..<size.height {
          for place in 0..<size.width * 4 {
            var sum = count / 2
            for row in 0..<factor {
              for column in 0..<factor {
                sum += Int(source[(y * factor + row) * from + (place / 4 * factor + column) * 4 + place % 4])
              }
            }
            target[y * to + place] = UInt8(sum / count)
          }
        }
      }
    }
    return small
  }

  /// The similarity of two pictures of one size in decibels; the colour of transparent pixels is ignored.
  static func likeness(_ left: Bitmap, _ right: Bitmap) -> Double {
    guard left.size == right.size else { return 0 }
    let (left, right) = (left.colors(at: left.size), right.colors(at: right.size))
    var sum = 0
    for index in left.indices {
      let (one, other) = (left[index], right[index])
      let (alpha, otherAlpha) = (Int(one.alpha), Int(other.alpha))
      let red = (Int(one.red) * alpha - Int(other.red) * otherAlpha) / 255
      let green = (Int(one.green) * alpha - Int(other.green) * otherAlpha) / 255
      let blue = (Int(one.blue) * alpha - Int(other.blue) * otherAlpha) / 255
      let difference = alpha - otherAlpha
      sum += red * red + green * green + blue * blue + difference * difference
    }
    guard sum > 0 else { return .infinity }
    return 10 * log10(255 * 255 * Double(left.count * 4) / Double(sum))
  }
}
