import EaselCore
import EaselPixels

/// Cuts a rectangle out of a picture; parts of the rectangle outside the picture are ignored.
struct Crop: PlannableTransformer, BitmapTransformer {
  /// The rectangle, measured from the top left corner; its origin is never negative.
  let rect: PixelRect

  /// Creates a crop; parts of the rectangle at negative coordinates are removed.
  init(_ rect: PixelRect) {
    let everything = PixelRect(x: 0, y: 0, width: .max, height: .max)
    let visible = rect.intersection(everything)
    // All empty rectangles are the same, and are refused later.
    self.rect = visible.isEmpty ? PixelRect(x: 0, y: 0, width: 0, height: 0) : visible
  }

  /// `Crop({x,y,width,height})`.
  var cacheKey: String { "Crop(\(KeyText.list(rect.x, rect.y, rect.width, rect.height)))" }

  func checkParameters() throws(ImageError) {
    try require(!rect.isEmpty, "the rectangle must have pixels right of and below the origin")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.cropped(to: part(of: bitmap.size))
  }

  func part(of size: PixelSize) throws(ImageError) -> PixelRect {
    let part = rect.intersection(PixelRect(covering: size))
    try require(!part.isEmpty, "the rectangle lies outside the picture, which is \(size)")
    return part
  }

  /// Merges with a following resize, which then reads straight from the uncropped picture.
  func merged(with next: any Transformer) -> (any Transformer)? {
    guard let resize = next as? Resize else { return nil }
    return ResizeStep(crop: self, resize: resize, fullSize: nil)
  }
}
