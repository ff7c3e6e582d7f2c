import EaselCore
import EaselPixels

/// Mirrors a picture.
struct Flip: BitmapTransformer {
  /// True to swap left and right.
  let horizontal: Bool
  /// True to swap top and bottom.
  let vertical: Bool

  init(horizontal: Bool, vertical: Bool) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// `Flip(horizontal,vertical)`.
  var cacheKey: String { KeyText.make("Flip", KeyNumber.text(horizontal), KeyNumber.text(vertical)) }

  var isTrivial: Bool { !horizontal && !vertical }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.flipped(horizontally: horizontal, vertically: vertical, work: work)
  }
}
