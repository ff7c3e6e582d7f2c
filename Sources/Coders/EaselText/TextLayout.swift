import CEaselText
import EaselCore

/// A text broken into lines by pango; it belongs to one thread.
final class TextLayout {
  /// The room that the letters take, with their outline.
  let size: PixelSize
  let lineCount: Int

  private let text: OpaquePointer

  /// Lays out a text whose style is checked; lines are broken at `width` pixels, or only where the text does.
  init(_ text: String, isMarkup: Bool, _ style: TextStyle, width: Int?) throws(ImageError) {
    var opened: OpaquePointer?
    var message = [CChar](repeating: 0, count: Int(EASEL_TEXT_MESSAGE_BYTES))
    let status = style.family.withCString { family in
      var foreign = easel_text_style()
      foreign.family = family
      (foreign.size, foreign.weight, foreign.is_italic) = (style.size, Int32(style.weight), style.isItalic)
      foreign.color = Self.components(style.color)
      foreign.outline = style.outline?.width ?? 0
      foreign.outline_color = Self.components(style.outline?.color ?? .clear)
      foreign.width = Int32(clamping: min(width ?? 0, Int(EASEL_TEXT_MOST_PIXELS_A_SIDE)))
      foreign.alignment = easel_text_alignment(UInt32(style.alignment.rawValue))
      foreign.direction = easel_text_direction(UInt32(style.direction.rawValue))
      foreign.line_spacing = style.lineSpacing
      let bytes = Array(text.utf8)
      return bytes.withUnsafeBytes { bytes in
        easel_text_open(
          bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, isMarkup,
          TextDrawing.mostSize(ofTextWith: bytes.count), &foreign, &opened, &message)
      }
    }
    guard status == EASEL_TEXT_OK, let opened else { throw Self.error(status, message) }
    self.text = opened
    let box = easel_text_box_of(opened)
    // A text without letters has a line without a width.
    size = PixelSize(width: max(1, Int(box.width)), height: max(1, Int(box.height)))
    lineCount = Int(easel_text_line_count(opened))
  }

  deinit { easel_text_close(text) }

  /// The letters and their outline on transparent pixels.
  func drawn() throws(ImageError) -> Bitmap {
    let most = Int(EASEL_TEXT_MOST_PIXELS_A_SIDE)
    guard size.width <= most, size.height <= most else {
      throw ImageError(.limitExceeded, "Text: it takes \(size), and at most \(most) pixels a side are drawn.")
    }
    var bitmap = try Bitmap(size: size, format: PixelFormat(.bgra8, alpha: .premultiplied))
    var message = [CChar](repeating: 0, count: Int(EASEL_TEXT_MESSAGE_BYTES))
    let bytesPerRow = bitmap.bytesPerRow
    let status = bitmap.withUnsafeMutableBytes { bytes in
      easel_text_draw(
        text, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytesPerRow, CInt(size.width), CInt(size.height),
        &message)
    }
    guard status == EASEL_TEXT_OK else { throw Self.error(status, message) }
    return bitmap
  }

  private static func components(_ color: PixelColor) -> (Double, Double, Double, Double) {
    (Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255, Double(color.alpha) / 255)
  }

  private static func error(_ status: easel_text_status, _ message: [CChar]) -> ImageError {
    let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // The message may quote the text.
    let text = String(decoding: bytes.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
    switch status {
    case EASEL_TEXT_NO_MEMORY: return .exhausted("Text: there is no memory to draw it.")
    case EASEL_TEXT_BAD_MARKUP: return ImageError(.badImageData, "Text: this is no markup of pango: \(text).")
    default: return ImageError(.limitExceeded, "Text: it takes too much to draw: \(text).")
    }
  }
}
