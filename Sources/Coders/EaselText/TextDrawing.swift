import CEaselFonts
import EaselCore
import EaselPixels

/// Draws a text as a picture of its own.
struct TextDrawing {
  let text: String
  var isMarkup = false
  let style: TextStyle

  /// The most bytes of a text, in UTF-8.
  static let mostBytes = 8192
  /// The most lines of a text.
  static let mostLines = 500
  /// The most pixels of all letters side by side, because the lengths of pango are whole numbers of 32 bits.
  private static let mostLength = 250_000.0

  /// The largest letters of a text with this many bytes.
  static func mostSize(ofTextWith count: Int) -> Double { min(TextStyle.mostSize, mostLength / Double(max(1, count))) }

  /// The text without the control characters that are no ends of lines or tabs, which fonts show as boxes.
  private var visible: String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { ($0.value >= 0x20 && $0.value != 0x7F) || $0 == "\n" || $0 == "\t" }))
  }

  /// The room that the shadow takes around the letters.
  private var surroundings: (left: Int, top: Int, right: Int, bottom: Int) {
    guard let shadow = style.shadow else { return (0, 0, 0, 0) }
    let soft = Int((3 * shadow.blur).rounded(.up))
    return (
      max(0, soft - shadow.x), max(0, soft - shadow.y), max(0, soft + shadow.x), max(0, soft + shadow.y)
    )
  }

  /// The letters on transparent pixels, with lines that are broken so that the picture has about this width.
  func bitmap(width: Int? = nil, work: WorkContext) throws(ImageError) -> Bitmap {
    try check()
    try work.checkCancellation()
    let around = surroundings
    let outline = Int((style.outline?.width ?? 0).rounded(.up))
    let layout = try TextLayout(
      visible, isMarkup: isMarkup, style,
      width: width.map { max(1, $0 - around.left - around.right - 2 * outline) })
    guard layout.lineCount <= Self.mostLines else {
      throw ImageError(
        .limitExceeded, "Text: it has \(layout.lineCount) lines, and at most \(Self.mostLines) are drawn.")
    }
    let size = PixelSize(
      width: layout.size.width + around.left + around.right, height: layout.size.height + around.top + around.bottom)
    try work.limits.check(frame: size, claimedBy: "Text: the drawing")
    try work.checkCancellation()
    var letters = try layout.drawn()
    try work.checkCancellation()
    try letters.convert(to: .rgba8, work: work)
    guard let shadow = style.shadow else { return letters }
    return try letters.placed(
      at: PixelRect(
        x: around.left + shadow.x, y: around.top + shadow.y, width: letters.width, height: letters.height),
      on: size, background: .clear
    ).blended(with: shadow.color, mode: .sourceIn, work: work).blurred(radius: shadow.blur, work: work)
      .overlaid(with: letters, x: around.left, y: around.top, work: work)
  }

  private func check() throws(ImageError) {
    try style.check()
    let count = text.utf8.count
    guard count <= Self.mostBytes else {
      throw ImageError(.limitExceeded, "Text: it has \(count) bytes, and at most \(Self.mostBytes) are drawn.")
    }
    guard style.size <= Self.mostSize(ofTextWith: count) else {
      throw ImageError(
        .limitExceeded,
        "Text: \(count) bytes are too many for letters of \(style.size) pixels; at most 250,000 pixels of letters are drawn."
      )
    }
    guard easel_fonts_draw_text() else {
      throw ImageError(
        .unsupportedFormat,
        "Text: it would be drawn as boxes, because this version of pango opens no fonts for a sandbox.")
    }
  }
}
