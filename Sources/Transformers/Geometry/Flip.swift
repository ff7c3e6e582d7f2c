import EaselCore
import EaselPixels

/// Mirrors a picture.
public struct Flip: BitmapTransformer {
  /// True to swap left and right.
  public let horizontal: Bool
  /// True to swap top and bottom.
  public let vertical: Bool

  /// Creates a flip.
  public init(horizontal: Bool, vertical: Bool) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// `Flip(horizontal,vertical)`.
  public var cacheKey: String { KeyText.make("Flip", KeyNumber.text(horizontal), KeyNumber.text(vertical)) }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.flipped(horizontally: horizontal, vertically: vertical, work: work)
  }
}
