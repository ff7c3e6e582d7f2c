import EaselColor
import EaselCore
import EaselPixels

/// Puts a colour behind a picture.
struct Background: BitmapTransformer {
  let color: PixelColor

  /// Creates a background; when there is nothing to paint, the colour is dropped.
  init(_ color: PixelColor) { self.color = color.alpha == 0 ? .clear : color }

  /// `Background(#aarrggbb)`.
  var cacheKey: String { KeyText.make("Background", KeyNumber.text(color)) }

  var isTrivial: Bool { color == .clear }

  func drawing(in description: ColorDescription, work: WorkContext) throws(ImageError) -> Background {
    Background(color.drawn(in: description))
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    if bitmap.format.alpha == .opaque || isTrivial { return bitmap }
    return color.alpha == 255
      ? try bitmap.flattened(over: color, work: work)
      : try bitmap.blended(with: color, mode: .destinationOver, work: work)
  }
}
