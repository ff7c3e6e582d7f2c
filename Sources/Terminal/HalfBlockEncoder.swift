import EaselCore

/// Draws two pixels in each cell: an upper half block in one colour on a background in the other.
///
/// Pixels that are less than half opaque show the background of the terminal.
enum HalfBlockEncoder {
  private typealias Color = (UInt8, UInt8, UInt8)

  static func encode(_ bitmap: Bitmap) -> [UInt8] {
    bitmap.withPixels { pixel in
      var text = ""
      for row in stride(from: 0, to: bitmap.height, by: 2) {
        var pen = Pen()
        for column in 0..<bitmap.width {
          let upper = color(pixel(column, row))
          let lower = row + 1 < bitmap.height ? color(pixel(column, row + 1)) : nil
          pen.draw(upper, lower, &text)
        }
        text += "\u{1B}[0m\n"
      }
      return Array(text.utf8)
    }
  }

  private static func color(_ pixel: (UInt8, UInt8, UInt8, UInt8)) -> Color? {
    pixel.3 < 128 ? nil : (pixel.0, pixel.1, pixel.2)
  }

  /// Writes a colour only when it changes.
  private struct Pen {
    private var foreground: Color?
    private var background: Color?

    mutating func draw(_ upper: Color?, _ lower: Color?, _ text: inout String) {
      switch (upper, lower) {
      case (nil, nil):
        change(foreground: foreground, background: nil, &text)
        text += " "
      case (let upper?, _):
        change(foreground: upper, background: lower, &text)
        text += "▀"
      case (nil, let lower?):
        change(foreground: lower, background: nil, &text)
        text += "▄"
      }
    }

    private mutating func change(foreground new: Color?, background newBackground: Color?, _ text: inout String) {
      if let new, !Self.isSame(new, foreground) { text += "\u{1B}[38;2;\(new.0);\(new.1);\(new.2)m" }
      if !Self.isSame(newBackground, background) {
        text += newBackground.map { "\u{1B}[48;2;\($0.0);\($0.1);\($0.2)m" } ?? "\u{1B}[49m"
      }
      foreground = new
      background = newBackground
    }

    private static func isSame(_ left: Color?, _ right: Color?) -> Bool {
      switch (left, right) {
      case (nil, nil): true
      case (let left?, let right?): left == right
      default: false
      }
    }
  }
}
