import EaselCore
import EaselPixels

/// The pages of a document as frames that have no duration.
///
/// The lock is not needed for speed: a process of a sandbox asks for one page after another.
final class PDFPages: FrameSource, @unchecked Sendable {
  let canvasSize: PixelSize
  let count: Int
  let memoryCost: Int

  private let document: PDFDocument
  private let lock = PDFLock()
  private let limits: Limits

  init(_ document: PDFDocument, options: DecodeOptions, work: WorkContext) {
    self.document = document
    count = document.pageCount
    memoryCost = 1 << 20
    limits = work.limits
    canvasSize = Self.target(document, options)
  }

  /// The pages are shown once.
  var loopCount: Int { 1 }

  func duration(at index: Int) -> Duration { .zero }

  func frame(at index: Int) throws -> Bitmap { try page(index, work: WorkContext(limits: limits)) }

  func frame(at index: Int, work: WorkContext) throws -> Bitmap { try page(index, work: work) }

  /// Draws a page on a canvas of the first page's size.
  func page(_ index: Int, work: WorkContext) throws -> Bitmap {
    guard (0..<count).contains(index) else {
      throw ImageError(.badImageData, "PDF: there is no page \(index): the file has \(count), counted from 0.")
    }
    try work.checkCancellation()
    return try lock.withLock {
      let own = index == 0 ? document.size : try document.size(ofPage: index)
      let area = own == document.size ? canvasSize : own.fitted(in: canvasSize)
      let bitmap = try document.bitmap(ofPage: index, size: area, work: work).converted(to: .opaqueRGBA8, work: work)
      return area == canvasSize ? bitmap : try bitmap.centered(on: canvasSize)
    }
  }

  /// The size to draw at; lines are sharp at any size, so the least sufficient size is enough.
  private static func target(_ document: PDFDocument, _ options: DecodeOptions) -> PixelSize {
    let target = options.targetSize(for: document.header)
    guard let least = options.leastSize, !least.isEmpty else { return target }
    guard least.width <= target.width, least.height <= target.height else { return least }
    return target.covering(least)
  }
}

extension PixelSize {
  /// This size, made as large or as small as fits in another.
  fileprivate func fitted(in other: PixelSize) -> PixelSize {
    let scale = min(Double(other.width) / Double(width), Double(other.height) / Double(height))
    return PixelSize(
      width: min(other.width, max(1, Int((Double(width) * scale).rounded()))),
      height: min(other.height, max(1, Int((Double(height) * scale).rounded()))))
  }

  /// This size, made as small as it can be without a side below that of `least`.
  fileprivate func covering(_ least: PixelSize) -> PixelSize {
    let scale = max(Double(least.width) / Double(width), Double(least.height) / Double(height))
    return PixelSize(
      width: max(least.width, Int((Double(width) * scale).rounded())),
      height: max(least.height, Int((Double(height) * scale).rounded())))
  }
}

extension Bitmap {
  /// This picture in the middle of a white canvas.
  fileprivate func centered(on canvas: PixelSize) throws(ImageError) -> Bitmap {
    var result = try Bitmap(size: canvas, format: format)
    let (x, y) = ((canvas.width - width) / 2, (canvas.height - height) / 2)
    let (from, to, bytes) = (bytesPerRow, result.bytesPerRow, format.bytesPerPixel)
    let (columns, rows) = (width * bytes, height)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        target.initializeMemory(as: UInt8.self, repeating: 255)
        for row in 0..<rows {
          let line = UnsafeRawBufferPointer(rebasing: source[(row * from)..<(row * from + columns)])
          UnsafeMutableRawBufferPointer(rebasing: target[((y + row) * to + x * bytes)...]).copyMemory(from: line)
        }
      }
    }
    return result
  }
}
