import EaselCore
import EaselPixels

/// Mirrors a picture.
public struct Flip: BitmapTransformer {
  /// Whether left and right change places.
  public let horizontal: Bool
  /// Whether top and bottom change places.
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
