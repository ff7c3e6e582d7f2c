import CEaselGIF
import EaselCore

/// A picture to write, in which each pixel is either opaque or four zeros.
struct GIFSourceFrame {
  let bitmap: Bitmap
  let hasTransparent: Bool

  /// The smallest part that contains all differing pixels, nil if none differs.
  func part(thatDiffersFrom other: Bitmap) -> PixelRect? { part(from: other, easel_gif_changed_part) }

  /// The smallest part that contains all pixels that are transparent here but not in `other`, nil if there are none.
  func part(thatVanishedFrom other: Bitmap) -> PixelRect? {
    hasTransparent ? part(from: other, easel_gif_vanished_part) : nil
  }

  private func part(
    from other: Bitmap,
    _ search: (
      UnsafeRawPointer?, Int, UnsafeRawPointer?, Int, Int, Int, UnsafeMutablePointer<Int>?
    ) -> Bool
  ) -> PixelRect? {
    var part = [0, 0, 0, 0]
    let isFound = bitmap.withUnsafeBytes { pixels in
      other.withUnsafeBytes { others in
        search(
          pixels.baseAddress, bitmap.bytesPerRow, others.baseAddress, other.bytesPerRow, bitmap.width, bitmap.height,
          &part)
      }
    }
    return isFound ? PixelRect(x: part[0], y: part[1], width: part[2], height: part[3]) : nil
  }
}
