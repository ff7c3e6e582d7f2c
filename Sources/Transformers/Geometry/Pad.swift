import EaselColor
import EaselCore
import EaselPixels

/// Adds a border of one colour around a picture.
struct Pad: BitmapTransformer {
  /// The rows added above.
  let top: Int
  /// The columns added on the left.
  let left: Int
  /// The rows added below.
  let bottom: Int
  /// The columns added on the right.
  let right: Int
  /// The colour of the border; the picture's own transparency is kept.
  let color: PixelColor

  /// Creates a border; when there is nothing to paint, the colour is dropped.
  init(top: Int, left: Int, bottom: Int, right: Int, color: PixelColor = .clear) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
    let isEmpty = top == 0 && left == 0 && bottom == 0 && right == 0
    self.color = isEmpty || color.alpha == 0 ? .clear : color
  }

  /// `Pad({top,left,bottom,right},#aarrggbb)`.
  var cacheKey: String { KeyText.make("Pad", KeyText.list(top, left, bottom, right), KeyNumber.text(color)) }

  var isTrivial: Bool { top == 0 && left == 0 && bottom == 0 && right == 0 }

  func checkParameters() throws(ImageError) {
    try require(
      top >= 0 && left >= 0 && bottom >= 0 && right >= 0, "no side may be negative; use Crop to make a picture smaller")
  }

  func drawing(in description: ColorDescription, work: WorkContext) throws(ImageError) -> Pad {
    Pad(top: top, left: left, bottom: bottom, right: right, color: color.drawn(in: description))
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    let canvas = canvas(for: bitmap.size)
    if canvas == bitmap.size { return bitmap }
    try work.limits.check(result: canvas, from: bitmap.size, madeBy: cacheKey)
    let target = PixelRect(x: left, y: top, width: bitmap.width, height: bitmap.height)
    let format = bitmap.format.holding(color)
    return try bitmap.converted(to: format).placed(at: target, on: canvas, background: color)
  }

  func canvas(for picture: PixelSize) -> PixelSize {
    PixelSize(
      width: Self.sum(picture.width, left, right), height: Self.sum(picture.height, top, bottom))
  }

  private static func sum(_ side: Int, _ before: Int, _ after: Int) -> Int {
    let (partial, overflows) = side.addingReportingOverflow(before)
    let (total, overflowsToo) = partial.addingReportingOverflow(after)
    return overflows || overflowsToo ? .max : total
  }
}
