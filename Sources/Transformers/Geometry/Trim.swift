import EaselCore
import EaselPixels

/// Cuts off the borders of one colour around a picture.
struct Trim: FirstFrameTransformer, BitmapTransformer {
  /// The colour of the border, nil for that of the top left pixel.
  let color: PixelColor?
  /// The greatest difference of a component at which a pixel is still border, in steps of 8 bits.
  let tolerance: Double
  /// True to cut off as much on the left as on the right, the smaller of both.
  let equalsHorizontally: Bool
  /// True to cut off as much above as below, the smaller of both.
  let equalsVertically: Bool
  /// The colour that counts for transparent pixels while the border is looked for; nil if they have none.
  let transparency: PixelColor?

  /// Creates a trim; without alpha there is no colour.
  init(
    color: PixelColor?, tolerance: Double, equalsHorizontally: Bool, equalsVertically: Bool,
    transparency: PixelColor? = nil
  ) {
    self.color = color.map { $0.alpha == 0 ? .clear : $0 }
    self.tolerance = tolerance
    self.transparency = transparency
    self.equalsHorizontally = equalsHorizontally
    self.equalsVertically = equalsVertically
  }

  /// `Trim(tolerance,#aarrggbb,equalsHorizontally,equalsVertically)`, with a dash for the colour of the corner; a colour
  /// for transparent pixels follows.
  var cacheKey: String {
    let parts = [
      KeyText.number(tolerance), color.map(KeyNumber.text) ?? "-", KeyNumber.text(equalsHorizontally),
      KeyNumber.text(equalsVertically),
    ]
    return "Trim(\((parts + (transparency.map { [KeyNumber.text($0)] } ?? [])).joined(separator: ",")))"
  }

  func checkParameters() throws(ImageError) {
    try require(tolerance >= 0 && tolerance <= 255, "the tolerance must be from 0 to 255, but is \(tolerance)")
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    let part = try part(of: bitmap, work: work)
    try work.limits.check(result: part.size, from: bitmap.size, madeBy: cacheKey)
    return try bitmap.cropped(to: part)
  }

  func fixed(by first: Image, work: WorkContext) throws -> any Transformer {
    try checkParameters()
    return Crop(try part(of: first.bitmap, work: work))
  }

  /// The part that stays; a picture that is all border stays whole.
  private func part(of bitmap: Bitmap, work: WorkContext) throws(ImageError) -> PixelRect {
    let whole = PixelRect(covering: bitmap.size)
    let shown = try transparency.map { (color) throws(ImageError) in try bitmap.flattened(over: color, work: work) }
    guard var part = try (shown ?? bitmap).partInsideBorder(of: color, tolerance: tolerance, work: work) else {
      return whole
    }
    if equalsHorizontally {
      part.x = min(part.x, whole.width - part.x - part.width)
      part.width = whole.width - 2 * part.x
    }
    if equalsVertically {
      part.y = min(part.y, whole.height - part.y - part.height)
      part.height = whole.height - 2 * part.y
    }
    return part
  }
}
