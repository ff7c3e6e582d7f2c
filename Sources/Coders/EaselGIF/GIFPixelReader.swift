import CEaselGIF
import EaselCore

/// Draws one frame while its bytes arrive.
final class GIFPixelReader {
  private let frame: GIFFrame
  private let reader: OpaquePointer
  private let visible: PixelRect
  private var position: Int
  private var state = EASEL_GIF_READING

  /// The size of a read, and the size of a piece between two checks for cancellation (at most a few megabytes of
  /// pixels).
  private static let (bufferBytes, pieceBytes) = (16 << 10, 2 << 10)

  init(_ frame: GIFFrame, canvas: PixelSize) throws(ImageError) {
    var made: OpaquePointer?
    guard easel_gif_reader_create(&made) == EASEL_GIF_OK, let made else {
      throw ImageError.exhausted("GIF: there is no memory to read a frame of \(frame.rect.size).")
    }
    self.frame = frame
    reader = made
    visible = frame.rect.intersection(PixelRect(covering: canvas))
    position = frame.dataStart
    var layout = easel_gif_layout()
    layout.width = UInt32(frame.rect.width)
    layout.height = UInt32(frame.rect.height)
    layout.visible_width = UInt32(visible.width)
    layout.visible_height = UInt32(visible.height)
    layout.is_interlaced = frame.isInterlaced
    layout.transparent = Int16(frame.control.transparent ?? -1)
    withUnsafeMutableBytes(of: &layout.colors) { $0.copyBytes(from: frame.colors) }
    easel_gif_reader_begin(reader, &layout)
  }

  deinit { easel_gif_reader_destroy(reader) }

  /// The number of rows drawn.
  var rows: Int { Int(easel_gif_reader_rows(reader)) }

  /// True if the reader will draw no more rows.
  var isOver: Bool { state != EASEL_GIF_READING }

  var isComplete: Bool { state == EASEL_GIF_COMPLETE }

  /// A description of damage in the pixels.
  var damage: String? {
    switch state {
    case EASEL_GIF_BROKEN: "the pixels contain an invalid code"
    case EASEL_GIF_ENDED: "the pixels end before the last row"
    default: nil
    }
  }

  /// Continues reading where the last call stopped; `isWhole` means that no more bytes will come.
  func advance(
    over bytes: ImageBytes, isWhole: Bool, on canvas: inout Bitmap, work: WorkContext
  ) throws(ImageError) {
    let bytesPerRow = canvas.bytesPerRow
    let place = visible.isEmpty ? 0 : visible.y * bytesPerRow + visible.x * canvas.format.bytesPerPixel
    try canvas.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) throws(ImageError) in
      let start = target.baseAddress! + place
      try read(bytes, to: start, bytesPerRow, work: work)
      guard isWhole || state != EASEL_GIF_READING else { return }
      easel_gif_reader_finish(reader, start, bytesPerRow)
      if state == EASEL_GIF_READING { state = EASEL_GIF_ENDED }
    }
  }

  private func read(
    _ bytes: ImageBytes, to start: UnsafeMutableRawPointer, _ bytesPerRow: Int, work: WorkContext
  ) throws(ImageError) {
    var failure: ImageError?
    withUnsafeTemporaryAllocation(byteCount: Self.bufferBytes, alignment: 16) { buffer in
      do throws(ImageError) {
        while state == EASEL_GIF_READING {
          let wanted = min(buffer.count, (frame.dataEnd ?? .max) - position)
          let count = try bytes.read(at: position, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
          guard count > 0 else { break }
          try feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: start, bytesPerRow, work: work)
          position += count
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private func feed(
    _ bytes: UnsafeRawBufferPointer, to start: UnsafeMutableRawPointer, _ bytesPerRow: Int, work: WorkContext
  ) throws(ImageError) {
    var used = 0
    while used < bytes.count && state == EASEL_GIF_READING {
      try work.checkCancellation()
      let count = min(Self.pieceBytes, bytes.count - used)
      state = easel_gif_reader_feed(reader, bytes.baseAddress! + used, count, start, bytesPerRow)
      used += count
    }
  }
}
