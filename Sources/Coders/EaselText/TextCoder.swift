import EaselCore
import EaselFormats
import EaselPixels

/// Draws the texts that the picture server makes of `watermark_text` in URLs.
///
/// Add it to the coders of a server whose clients may let text be drawn. It draws only in a sandbox, because texts and
/// their markup are those of strangers. Files of this kind are made by the server alone.
///
/// ```swift
/// configuration.coder = CoderRegistry.everything.adding(TextCoder())
/// ```
public struct TextCoder: ImageCoder {
  /// Needs no settings.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "text" }

  /// The format of the server's texts.
  public var formats: [ImageFormat] { [TextDocument.format] }

  /// Returns true for a text that the server has made.
  public func canDecode(prefix: [UInt8]) -> Bool { TextDocument.begins(prefix) }

  /// Draws the text, because only then its size is known.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    Self.header(of: try Self.bitmap(bytes, work: work))
  }

  /// Draws the text, in black letters of 16 points unless its markup says something else.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let bitmap = try Self.bitmap(bytes, work: work)
    let target = options.targetSize(for: Self.header(of: bitmap))
    return Image(
      target == bitmap.size ? bitmap : try bitmap.resized(to: target, work: work), format: TextDocument.format,
      metadata: ImageMetadata(storedSize: bitmap.size), traits: target == bitmap.size ? [] : .thumbnail)
  }

  /// The size of 16 points in pixels, of which an inch has 96.
  static let style = TextStyle(size: 16.0 / 72 * 96, color: .black)

  private static func bitmap(_ bytes: ImageBytes, work: WorkContext) throws -> Bitmap {
    guard let document = TextDocument(try bytes.prefix(min(bytes.count, 2 * TextDocument.mostBytes))) else {
      throw ImageError(
        .badImageData, "Text: it is not UTF-8, or has more than \(TextDocument.mostBytes) bytes.")
    }
    return try TextDrawing(text: document.markup, isMarkup: true, style: style).bitmap(work: work)
  }

  private static func header(of bitmap: Bitmap) -> ImageHeader {
    ImageHeader(format: TextDocument.format, storedSize: bitmap.size, hasAlpha: true)
  }
}
