import EaselCore
import EaselSupport
import EaselTransformers

/// Draws a text over a picture.
final class DrawnText: Transformer {
  private let drawing: TextDrawing
  /// The length at which lines are broken; nil for the width of the picture.
  private let width: TransformerPipeline.Length?
  private let gravity: TransformerPipeline.Gravity
  private let opacity: Double
  /// The watermark that was made last, and its width; the frames of a moving picture share it.
  private let made = Locked<(width: Int, watermark: TransformerPipeline)?>(nil)

  init(
    _ drawing: TextDrawing, width: TransformerPipeline.Length?, gravity: TransformerPipeline.Gravity, opacity: Double
  ) {
    (self.drawing, self.width, self.gravity, self.opacity) = (drawing, width, gravity, opacity)
  }

  /// `Text(text,gravity,opacity,width,style)`, with a dash for the width of the picture.
  var cacheKey: String {
    KeyText.make(
      "Text", KeyText.name(drawing.text), gravity.keyText, KeyText.number(opacity), width?.keyText ?? "-",
      drawing.style.keyText)
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    guard !drawing.text.isEmpty, opacity != 0 else { return image }
    let width = try lineWidth(on: image.size.width)
    if let made = made.withLock({ $0 }), made.width == width { return try made.watermark.transform(image, work: work) }
    let watermark = TransformerPipeline.watermark(
      try drawing.bitmap(width: width, work: work), name: "text", gravity: gravity, opacity: opacity)
    made.withLock { $0 = (width, watermark) }
    return try watermark.transform(image, work: work)
  }

  private func lineWidth(on full: Int) throws(ImageError) -> Int {
    let length = width?.pixels(of: Double(full)) ?? Double(full)
    guard length >= 1, length <= 1_000_000 else {
      throw ImageError(.transformFailed, "Text: the width must be from 1 to 1000000 pixels, but is \(length).")
    }
    return Int(length.rounded())
  }
}
