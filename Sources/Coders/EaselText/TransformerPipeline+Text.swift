import EaselCore
import EaselTransformers

extension TransformerPipeline {
  /// Draws a text over the picture, and over each frame of a moving picture.
  ///
  /// Lines are broken at `width`, which is that of the picture unless it is given, and a text that is higher than the
  /// picture is made smaller. It has at most 8192 bytes and 500 lines, and letters of at most 250,000 pixels side by
  /// side. The fonts are those of the system, so machines with other fonts draw another picture. Text is drawn in this
  /// process: for texts of strangers, limit what they may write, or use the picture server, which has a sandbox.
  ///
  /// The key is `Text(text,gravity,opacity,width,style)`, with a dash for the width of the picture; `overlay` tells how
  /// the text is written, and `crop(width:height:gravity:)` how a gravity is.
  ///
  /// ```swift
  /// let titled = TransformerPipeline.text("Füchse im Schnee 🦊", style: TextStyle(size: 48), gravity: .south)
  /// ```
  public static func text(
    _ text: String, style: TextStyle = TextStyle(), width: Length? = nil, gravity: Gravity = .southEast,
    opacity: Double = 1
  ) -> TransformerPipeline {
    .custom(DrawnText(TextDrawing(text: text, style: style), width: width, gravity: gravity, opacity: opacity))
  }
}
