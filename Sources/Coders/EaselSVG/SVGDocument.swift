import CEaselSVG
import EaselCore

/// A document that librsvg has read.
final class SVGDocument {
  /// The size in pixels, with fractions.
  let size: (width: Double, height: Double)

  private let document: OpaquePointer

  /// The size of a document that states no size and draws nothing, as in CSS.
  static let defaultSize = (width: 300.0, height: 150.0)

  init(_ file: SVGFile, hasLongValues: Bool) throws(ImageError) {
    var document: OpaquePointer?
    var message = [CChar](repeating: 0, count: Int(EASEL_SVG_MESSAGE_BYTES))
    let status = file.xml.withBytesInMemory { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return easel_svg_open(start, bytes.count, hasLongValues, &document, &message)
    }
    guard status == EASEL_SVG_OK, let document else { throw Self.error(status ?? EASEL_SVG_BAD_DATA, message) }
    self.document = document
    var stated = (width: 0.0, height: 0.0)
    let origin = easel_svg_size(document, &stated.width, &stated.height)
    size = origin == EASEL_SVG_SIZE_UNKNOWN ? Self.defaultSize : stated
  }

  deinit { easel_svg_close(document) }

  /// The size in whole pixels; empty if the document says that nothing is drawn.
  var pixelSize: PixelSize { PixelSize(width: Self.whole(size.width), height: Self.whole(size.height)) }

  /// A side in whole pixels, capped at a number above any limit.
  private static func whole(_ side: Double) -> Int { side <= 0 ? 0 : Int(max(1, min(side.rounded(), 1e9))) }

  /// Draws the whole document into a bitmap of any size.
  func bitmap(of size: PixelSize) throws(ImageError) -> Bitmap {
    let most = Int(EASEL_SVG_MOST_PIXELS_A_SIDE)
    guard size.width <= most, size.height <= most else {
      throw ImageError(
        .limitExceeded,
        "SVG: the drawing would be \(size), and at most \(most) pixels a side are drawn. Ask for a smaller one.")
    }
    var bitmap = try Bitmap(size: size, format: PixelFormat(.bgra8, alpha: .premultiplied))
    var message = [CChar](repeating: 0, count: Int(EASEL_SVG_MESSAGE_BYTES))
    let bytesPerRow = bitmap.bytesPerRow
    let status = bitmap.withUnsafeMutableBytes { bytes in
      easel_svg_draw(
        document, self.size.width, self.size.height, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
        bytesPerRow, CInt(size.width), CInt(size.height), &message)
    }
    guard status == EASEL_SVG_OK else { throw Self.error(status, message) }
    return bitmap
  }

  private static func error(_ status: easel_svg_status, _ message: [CChar]) -> ImageError {
    let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    // The message may quote text from the file.
    let text = String(decoding: bytes.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
    switch status {
    case EASEL_SVG_NO_MEMORY: return .exhausted("SVG: there is no memory to draw it.")
    case EASEL_SVG_TOO_MUCH: return ImageError(.limitExceeded, "SVG: it takes too much to draw: \(text).")
    default: return ImageError(.badImageData, "SVG: \(text).")
    }
  }
}
