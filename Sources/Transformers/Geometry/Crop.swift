import EaselCore
import EaselPixels

/// Cuts a rectangle out of a picture; what of it lies outside is ignored.
public struct Crop: PlannableTransformer, BitmapTransformer {
  /// The rectangle, from the top left corner; never with a negative origin.
  public let rect: PixelRect

  /// Creates a crop; what lies left of or above every picture is taken off the rectangle.
  public init(_ rect: PixelRect) {
    let everything = PixelRect(x: 0, y: 0, width: .max, height: .max)
    let visible = rect.intersection(everything)
    // Rectangles without a pixel are all the same, and refused.
    self.rect = visible.isEmpty ? PixelRect(x: 0, y: 0, width: 0, height: 0) : visible
  }

  /// `Crop({x,y,width,height})`.
  public var cacheKey: String { "Crop(\(KeyText.list(rect.x, rect.y, rect.width, rect.height)))" }

  func checkParameters() throws(ImageError) {
    try require(!rect.isEmpty, "the rectangle must have pixels right of and below the origin")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try bitmap.cropped(to: part(of: bitmap.size))
  }

  func part(of size: PixelSize) throws(ImageError) -> PixelRect {
    let part = rect.intersection(PixelRect(covering: size))
    try require(!part.isEmpty, "the rectangle lies outside of the picture, which is \(size)")
    return part
  }

  /// A resize that follows reads straight out of the picture.
  public func merged(with next: any Transformer) -> (any Transformer)? {
    guard let resize = next as? Resize else { return nil }
    return ResizeStep(crop: self, resize: resize, fullSize: nil)
  }
}
