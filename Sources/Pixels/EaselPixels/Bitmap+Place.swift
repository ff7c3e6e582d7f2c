import CEaselPixels
import EaselCore
import Glibc

extension Bitmap {
  /// Returns a part of the picture; the part must be inside it.
  ///
  /// ```swift
  /// let part = try bitmap.cropped(to: PixelRect(x: 100, y: 50, width: 200, height: 200))
  /// ```
  public func cropped(to rect: PixelRect) throws(ImageError) -> Bitmap {
    let part = rect.intersection(PixelRect(covering: size))
    guard part == rect, !rect.isEmpty else {
      throw ImageError(
        .transformFailed,
        "A part of \(rect.size) at \(rect.x),\(rect.y) does not lie inside a picture of \(size).")
    }
    if rect.size == size { return self }
    var result = try Bitmap(unfilled: rect.size, format: format)
    copyRows(of: rect, to: 0, 0, of: &result)
    return result
  }

  /// Returns the picture on a larger canvas of one colour, without blending.
  package func placed(
    at rect: PixelRect, on canvas: PixelSize, background: PixelColor
  ) throws(ImageError) -> Bitmap {
    precondition(rect.size == size && rect.intersection(PixelRect(covering: canvas)) == rect)
    var result = try Bitmap(unfilled: canvas, format: format)
    result.fill(background)
    copyRows(of: PixelRect(covering: size), to: rect.x, rect.y, of: &result)
    return result
  }

  /// Fills the picture with a colour, as exactly as the format allows.
  package mutating func fill(_ color: PixelColor) {
    fill(color, in: PixelRect(covering: size))
  }

  private func copyRows(of rect: PixelRect, to x: Int, _ y: Int, of target: inout Bitmap) {
    let pixelBytes = format.bytesPerPixel
    let targetBytesPerRow = target.bytesPerRow
    withUnsafeBytes { source in
      target.withUnsafeMutableBytes { target in
        for row in 0..<rect.height {
          memcpy(
            target.baseAddress! + (y + row) * targetBytesPerRow + x * pixelBytes,
            source.baseAddress! + (rect.y + row) * bytesPerRow + rect.x * pixelBytes, rect.width * pixelBytes)
        }
      }
    }
  }
}
