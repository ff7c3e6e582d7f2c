import EaselColor
import EaselCore
import EaselPixels

/// Adds bars of one colour around a picture, so that it has a size or a ratio of width to height.
struct Extend: BitmapTransformer {
  /// The canvas that a picture gets.
  enum Canvas: Hashable {
    /// The smallest size of the canvas. A side of 0 keeps the picture's own.
    case size(PixelSize)
    /// The smallest canvas with this ratio of width to height.
    case ratio(Double)
  }

  let canvas: Canvas
  /// The colour of the bars; the picture's own transparency is kept.
  let color: PixelColor
  /// The place of the picture between the bars.
  let gravity: TransformerPipeline.Gravity

  /// Creates bars; when there is nothing to paint, the colour is dropped.
  init(to canvas: Canvas, color: PixelColor, gravity: TransformerPipeline.Gravity) {
    self.canvas = canvas
    self.color = color.alpha == 0 ? .clear : color
    self.gravity = gravity.betweenBars
  }

  /// `Extend({width,height},#aarrggbb,gravity)` or `ExtendRatio(ratio,#aarrggbb,gravity)`.
  var cacheKey: String {
    switch canvas {
    case .size(let size):
      KeyText.make("Extend", KeyText.list(size.width, size.height), KeyNumber.text(color), gravity.keyText)
    case .ratio(let ratio):
      KeyText.make("ExtendRatio", KeyText.number(ratio), KeyNumber.text(color), gravity.keyText)
    }
  }

  func checkParameters() throws(ImageError) {
    switch canvas {
    case .size(let size):
      try require(size.width >= 0 && size.height >= 0, "no side may be negative, but the size is \(size)")
      try require(size.width > 0 || size.height > 0, "at least one side must be given, but both are 0")
    case .ratio(let ratio): try check(ratio: ratio)
    }
    try check(gravity)
  }

  func drawing(in description: ColorDescription, work: WorkContext) throws(ImageError) -> Extend {
    Extend(to: canvas, color: color.drawn(in: description), gravity: gravity)
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    let canvas = canvas(for: bitmap.size)
    if canvas == bitmap.size { return bitmap }
    try work.limits.check(result: canvas, from: bitmap.size, madeBy: cacheKey)
    return try bitmap.converted(to: bitmap.format.holding(color)).placed(
      at: gravity.rect(of: bitmap.size, in: canvas), on: canvas, background: color)
  }

  func canvas(for picture: PixelSize) -> PixelSize {
    switch canvas {
    case .size(let size):
      return PixelSize(width: max(picture.width, size.width), height: max(picture.height, size.height))
    case .ratio(let ratio):
      let (width, height) = (Double(picture.width), Double(picture.height))
      return width < height * ratio
        ? PixelSize(width: Self.whole(height * ratio, least: picture.width), height: picture.height)
        : PixelSize(width: picture.width, height: Self.whole(width / ratio, least: picture.height))
    }
  }

  /// Rounds to nearest; a side that no `Int` can hold becomes `.max`, which the limits refuse.
  private static func whole(_ side: Double, least: Int) -> Int {
    Int(exactly: side.rounded()).map { max($0, least) } ?? .max
  }
}
