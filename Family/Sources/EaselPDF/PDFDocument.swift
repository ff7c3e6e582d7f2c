import CEaselPDF
import EaselCore

/// A document that poppler has read.
///
/// Its calls must not overlap.
final class PDFDocument {
  let pageCount: Int
  /// The size of the first page in pixels.
  let size: PixelSize

  private let document: OpaquePointer
  /// The bytes that poppler reads while it draws.
  private let bytes: UnsafeMutableRawBufferPointer

  /// The pixels of an inch, and the points by which files measure.
  static let (density, pointsPerInch) = (150.0, 72.0)

  init(_ bytes: ImageBytes, work: WorkContext) throws {
    try work.checkCancellation()
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
    do {
      let count = try bytes.read(at: 0, into: copy)
      (document, pageCount, size) = try Self.open(UnsafeRawBufferPointer(rebasing: copy[..<count]), work.limits)
      self.bytes = copy
    } catch {
      copy.deallocate()
      throw error
    }
  }

  deinit {
    easel_pdf_close(document)
    bytes.deallocate()
  }

  private static func open(
    _ bytes: UnsafeRawBufferPointer, _ limits: Limits
  ) throws(ImageError) -> (OpaquePointer, Int, PixelSize) {
    var document: OpaquePointer?
    var message = [CChar](repeating: 0, count: Int(EASEL_PDF_MESSAGE_BYTES))
    let status = easel_pdf_open(
      bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &document, &message)
    guard status == EASEL_PDF_OK, let document else { throw error(status, message) }
    do throws(ImageError) {
      let count = Int(easel_pdf_page_count(document))
      guard count > 0 else { throw ImageError(.badImageData, "PDF: the file has no pages.") }
      guard count <= limits.frames else {
        throw ImageError(
          .limitExceeded,
          "PDF: the file has \(count) pages, over the \(limits.frames) allowed. Raise Limits.frames to allow more.")
      }
      let size = pixels(of: try points(of: document, page: 0))
      try limits.check(frame: size, claimedBy: "PDF: the first page")
      return (document, count, size)
    } catch {
      easel_pdf_close(document)
      throw error
    }
  }

  private static func points(
    of document: OpaquePointer, page: Int
  ) throws(ImageError) -> (width: Double, height: Double) {
    var (width, height) = (0.0, 0.0)
    guard easel_pdf_page_size(document, CInt(page), &width, &height) == EASEL_PDF_OK, width > 0, height > 0 else {
      throw ImageError(.badImageData, "PDF: page \(page + 1) is missing, or has no size.")
    }
    return (width, height)
  }

  private static func pixels(of points: (width: Double, height: Double)) -> PixelSize {
    // A number above any limit, so that it can be an integer.
    func whole(_ side: Double) -> Int { Int(max(1, min((side * density / pointsPerInch).rounded(.up), 1e9))) }
    return PixelSize(width: whole(points.width), height: whole(points.height))
  }

  /// The size of a page in pixels, of any limit.
  func size(ofPage index: Int) throws(ImageError) -> PixelSize {
    Self.pixels(of: try Self.points(of: document, page: index))
  }

  /// The description of the file, without pixels.
  var header: ImageHeader {
    var header = ImageHeader(format: .pdf, storedSize: size, frameCount: pageCount)
    header.loopCount = 1
    header.storedDelays = pageCount > 1 ? [Duration](repeating: .zero, count: pageCount) : []
    return header
  }

  var metadata: ImageMetadata {
    var metadata = ImageMetadata(storedSize: size)
    metadata.density = ImageMetadata.Density(horizontal: Self.density, vertical: Self.density)
    return metadata
  }

  /// Draws a page on white paper, as a picture of this size.
  ///
  /// A page of its own size has exactly 150 pixels to an inch: the last pixels may have a part of paper beside the page.
  func bitmap(ofPage index: Int, size: PixelSize, work: WorkContext) throws(ImageError) -> Bitmap {
    let most = Int(EASEL_PDF_MOST_PIXELS_A_SIDE)
    guard size.width <= most, size.height <= most else {
      throw ImageError(
        .limitExceeded,
        "PDF: cairo draws at most \(most) pixels a side, and \(size) are wanted. Ask for a smaller size.")
    }
    try work.limits.check(frame: size, claimedBy: "PDF: the drawing")
    var bitmap = try Bitmap(size: size, format: PixelFormat(.bgra8, alpha: .opaque))
    var message = [CChar](repeating: 0, count: Int(EASEL_PDF_MESSAGE_BYTES))
    let (stride, own) = (bitmap.bytesPerRow, try self.size(ofPage: index))
    let scale = Self.density / Self.pointsPerInch
    let status = bitmap.withUnsafeMutableBytes { pixels in
      easel_pdf_draw(
        document, CInt(index), scale * Double(size.width) / Double(own.width),
        scale * Double(size.height) / Double(own.height), pixels.baseAddress?.assumingMemoryBound(to: UInt8.self),
        stride, CInt(size.width),
        CInt(size.height), &message)
    }
    guard status == EASEL_PDF_OK else { throw Self.error(status, message) }
    return bitmap
  }

  private static func error(_ status: easel_pdf_status, _ message: [CChar]) -> ImageError {
    let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    switch status {
    case EASEL_PDF_NO_MEMORY: return ImageError(.limitExceeded, "PDF: there is not enough memory to draw the page.")
    case EASEL_PDF_ENCRYPTED:
      return ImageError(
        .unsupportedFormat, "PDF: the file is encrypted, and opens only with a password. Remove the password first.")
    default: return ImageError(.badImageData, "PDF: \(text).")
    }
  }
}
