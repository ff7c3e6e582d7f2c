import EaselCore
import EaselPixels

/// Lays a colour over a picture.
///
/// By default only the picture's shape remains, in the colour, which suits icons.
public struct Tint: BitmapTransformer {
  /// The colour.
  public let color: PixelColor
  /// How it is laid over the picture.
  public let mode: BlendMode

  /// Creates a tint.
  public init(_ color: PixelColor, mode: BlendMode = .sourceIn) {
    // To clear a picture any colour will do.
    self.color = mode == .clear ? .clear : color
    self.mode = mode
  }

  /// `Tint(#aarrggbb,mode)`.
  public var cacheKey: String { KeyText.make("Tint", KeyNumber.text(color), "\(mode.rawValue)") }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.blended(with: color, mode: mode, work: work)
  }
}
