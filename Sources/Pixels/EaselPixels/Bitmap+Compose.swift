import CEaselPixels
import EaselCore
import Glibc

/// Composing animations.
extension Bitmap {
  /// Draws a picture of the same layout on a part of this one: replaces the pixels there, or blends over them.
  ///
  /// Both have straight alpha or none, and the other picture must be inside this one.
  package mutating func lay(_ picture: Bitmap, x: Int, y: Int, isBlended: Bool) {
    let rect = PixelRect(x: x, y: y, width: picture.width, height: picture.height)
    precondition(rect.intersection(PixelRect(covering: size)) == rect, "The picture does not lie inside.")
    precondition(picture.format.layout == format.layout, "The layouts differ.")
    let (format, bytesPerRow) = (format, bytesPerRow)
    let rowBytes = rect.width * format.bytesPerPixel
    picture.withUnsafeBytes { source in
      withUnsafeMutableBytes { target in
        let start = target.baseAddress! + y * bytesPerRow + x * format.bytesPerPixel
        if isBlended {
          easel_lay_over(
            format.kernel, source.baseAddress, picture.bytesPerRow, start, bytesPerRow, rect.width, rect.height)
        } else {
          for row in 0..<rect.height {
            memcpy(start + row * bytesPerRow, source.baseAddress! + row * picture.bytesPerRow, rowBytes)
          }
        }
      }
    }
  }

  /// Fills a part with a colour, as exactly as the format allows.
  package mutating func fill(_ color: PixelColor, in rect: PixelRect) {
    let rect = rect.intersection(PixelRect(covering: size))
    guard !rect.isEmpty else { return }
    let pixel = color.pixel(in: format)
    let (format, bytesPerRow) = (format, bytesPerRow)
    withUnsafeMutableBytes { bytes in
      let start = bytes.baseAddress! + rect.y * bytesPerRow + rect.x * format.bytesPerPixel
      easel_fill(format.kernel, pixel, start, bytesPerRow, rect.width, rect.height)
    }
  }
}
