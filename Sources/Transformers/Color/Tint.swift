import EaselColor
import EaselCore
import EaselPixels

/// Blends a colour over a picture.
///
/// By default only the picture's shape remains, filled with the colour, which suits icons.
struct Tint: BitmapTransformer {
  /// The colour.
  let color: PixelColor
  /// The way the colour is blended over the picture.
  let mode: Bitmap.BlendMode

  init(_ color: PixelColor, mode: Bitmap.BlendMode = .sourceIn) {
    // The mode `clear` ignores the colour, so equal results get equal keys.
    self.color = mode == .clear ? .clear : color
    self.mode = mode
  }

  /// `Tint(#aarrggbb,mode)`.
  var cacheKey: String { KeyText.make("Tint", KeyNumber.text(color), "\(mode.rawValue)") }

  func drawing(in description: ColorDescription, work: WorkContext) throws(ImageError) -> Tint {
    Tint(color.drawn(in: description), mode: mode)
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.blended(with: color, mode: mode, work: work)
  }
}
