import EaselCoding
import EaselCore
import EaselPixels
import EaselSupport

/// The frames of an animation at the wanted size; each frame covers the canvas.
struct JXLFrames: StoredFrames {
  /// The reader and the number of the frame that it reads next; nil if the reader must restart.
  ///
  /// Frame sources draw under their own lock, so this lock never blocks.
  private final class Position: Sendable {
    let reader: JXLReader
    let next = Locked<Int?>(nil)

    init(_ reader: JXLReader) { self.reader = reader }
  }

  let canvasSize: PixelSize
  let canvasFormat: PixelFormat
  private let header: JXLHeader
  private let pixels: JXLPixels
  private let bytes: ImageBytes
  private let position: Position

  init(
    _ header: JXLHeader, bytes: ImageBytes, pixels: JXLPixels, size: PixelSize, format: PixelFormat, limits: Limits
  ) throws(ImageError) {
    self.header = header
    self.bytes = bytes
    self.pixels = pixels
    canvasSize = size
    canvasFormat = format
    position = Position(try JXLReader(.pixels, limits: limits))
  }

  var count: Int { header.delays.count }
  var restoresBefore: Bool { false }
  var loopCount: Int { header.plays }
  /// The bytes of the file, and the earlier frames that libjxl keeps in floating point.
  var memoryCost: Int { bytes.memoryCost + 32 * header.size.area }

  func frame(at index: Int) -> StoredFrame {
    StoredFrame(
      rect: PixelRect(covering: canvasSize), delay: header.delays[index], disposal: .keep, isBlended: false,
      hasAlpha: header.hasAlpha)
  }

  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
    let next = position.next.withLock { next in
      defer { next = nil }
      return next
    }
    if next != index { position.reader.restart(at: index) }
    if let damage = try pixels.read(from: position.reader, bytes, onto: &canvas, work) {
      throw .bad("JXL", "frame \(index): \(damage)")
    }
    position.next.withLock { $0 = index + 1 }
  }
}
