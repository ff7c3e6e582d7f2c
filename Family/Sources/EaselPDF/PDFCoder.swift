import CEaselPDF
import EaselCore

/// Draws the pages of PDF at the wanted size, with poppler.
///
/// Poppler is large and under the GPL, and one file can keep it busy for minutes. So this coder decodes only in a
/// sandbox, and is a part of the program `easel-pdf` alone.
///
/// - The picture is the first page; all pages are its frames, which have no duration. A page of another size than the
///   first is drawn as large as fits in the middle of a canvas of that size.
/// - A page has 150 pixels to an inch, as with `pdftoppm`. Thumbnails are drawn at their own size. If a transformer
///   enlarges the page, it is drawn larger, so that its lines and letters stay sharp.
/// - The area is the crop box, turned as the file says. The paper is white.
/// - Nothing but the file is read: no fonts and no pictures at other addresses. Scripts do not run, and actions are not
///   carried out. Annotations and filled forms are drawn as their file shows them.
/// - A file that opens only with a password is refused with `unsupportedFormat`. A file that is encrypted with the
///   empty password is drawn.
package struct PDFCoder: DrawingCoder, FileNamingCoder, SandboxGuest {
  let files: ResourceFiles

  package init(files: ResourceFiles) { self.files = files }

  package var identifier: String { "pdf" }

  package var formats: [ImageFormat] { [.pdf] }

  package func fileExtensions(of format: ImageFormat) -> [String] { ["pdf"] }

  package func drawsLarger(_ format: ImageFormat) -> Bool { format == .pdf }

  package func canDecode(prefix: [UInt8]) -> Bool {
    let mark = Array("%PDF-".utf8)
    return prefix.indices.contains { prefix[$0...].starts(with: mark) }
  }

  package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try PDFDocument(bytes, work: work).header
  }

  package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let document = try PDFDocument(bytes, work: work)
    let pages = PDFPages(document, options: options, work: work)
    let bitmap = try pages.page(0, work: work)
    var image = Image(
      bitmap, format: .pdf, metadata: document.metadata, traits: bitmap.size == document.size ? [] : .thumbnail)
    if document.pageCount > 1, !options.firstFrameOnly {
      try work.limits.check(frameCount: document.pageCount, of: bitmap.size, claimedBy: "PDF: the file")
      image.frames = pages
    }
    return image
  }

  /// True, because drawing takes as long as the file wants, and only a process can be ended.
  package var staysInSandbox: Bool { true }

  /// Opens the fonts of the system, and the tables of characters.
  ///
  /// Throws if there are no fonts, because pages would lack their letters.
  package func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes? {
    files.keepDirectory("/usr/share/poppler")
    let sample = Array(PDFSample.text.utf8)
    // This process uses its bytes until it ends.
    let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: sample.count)
    _ = kept.initialize(from: sample)
    guard easel_pdf_prepare_for_lock_in(files.keepFile, kept.baseAddress, kept.count) else {
      throw ImageError(.decoderCrashed, "PDF found no fonts on this system. Install one, such as fonts-urw-base35.")
    }
    return ImageBytes(sample)
  }
}
