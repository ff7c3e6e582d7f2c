import Easel

/// The names below a row of pictures, drawn as SVG.
struct MontageLabels {
  let layout: MontageLayout
  let background: PixelColor

  private static let letterSize = 12
  /// The approximate width of a letter, which limits the length of names.
  private static let letterWidth = 7

  func svg(_ texts: [(column: Int, text: String)]) -> String {
    let letters = max(1, layout.field.width / Self.letterWidth)
    let lines = texts.map { column, text in
      let middle = layout.gap + column * (layout.field.width + layout.gap) + layout.field.width / 2
      let name = Self.escaped(TextWidth.shortened(printable(text), to: letters))
      return "<text x=\"\(middle)\" y=\"\(Self.letterSize + 2)\">\(name)</text>"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(layout.size.width)" height="\(layout.labelHeight)" \
      font-family="sans-serif" font-size="\(Self.letterSize)" text-anchor="middle" fill="\(ink)">\
      \(lines.joined())</svg>
      """
  }

  /// Black on bright sheets and white on dark ones.
  private var ink: String {
    let light = 299 * Int(background.red) + 587 * Int(background.green) + 114 * Int(background.blue)
    return light < 128_000 && background.alpha > 127 ? "white" : "black"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
