import EaselCore
import EaselPixels

/// Adds bars of one colour at two sides, so that a picture has a ratio of width to height.
struct ExtendToRatio: BitmapTransformer {
  /// The ratio of width to height.
  let ratio: Double
  /// The colour of the bars; the picture's own transparency is kept.
  let color: PixelColor
  /// The place of the picture between the bars.
  let gravity: TransformerPipeline.Gravity

  /// Creates bars; when there is nothing to paint, the colour is dropped.
  init(ratio: Double, color: PixelColor, gravity: TransformerPipeline.Gravity) {
    self.ratio = ratio
    self.color = color.alpha == 0 ? .clear : color
    self.gravity = gravity
  }

  /// `ExtendRatio(ratio,#aarrggbb,gravity)`.
  var cacheKey: String {
    KeyText.make("ExtendRatio", KeyText.number(ratio), KeyNumber.text(color), gravity.keyText)
  }

  func checkParameters() throws(ImageError) {
    try check(ratio: ratio)
    try check(gravity)
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    let canvas = canvas(for: bitmap.size)
    if canvas == bitmap.size { return bitmap }
    try work.limits.check(result: canvas, from: bitmap.size, madeBy: cacheKey)
    return try bitmap.converted(to: bitmap.format.holding(color)).placed(
      at: gravity.rect(of: bitmap.size, in: canvas), on: canvas, background: color)
  }

  private func canvas(for size: PixelSize) -> PixelSize {
    let (width, height) = (Double(size.width), Double(size.height))
    return width < height * ratio
      ? PixelSize(width: Self.whole(height * ratio, least: size.width), height: size.height)
      : PixelSize(width: size.width, height: Self.whole(width / ratio, least: size.height))
  }

  /// Rounds to nearest; a side that no `Int` can hold becomes `.max`, which the limits refuse.
  private static func whole(_ side: Double, least: Int) -> Int {
    Int(exactly: side.rounded()).map { max($0, least) } ?? .max
  }
}
