import CEaselGIF
import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// A GIF file that is written frame by frame.
final class GIFFileWriter {
  private let writer: OpaquePointer

  init(size: PixelSize, table: GIFColors) throws(ImageError) {
    var made: OpaquePointer?
    let status = easel_gif_writer_create(size.width, size.height, table.table, table.table.count / 3, &made)
    guard status == EASEL_GIF_OK, let made else { throw GIFStoredArea.noMemory }
    writer = made
  }

  deinit { easel_gif_writer_destroy(writer) }

  func addLoop(repeats: Int) throws(ImageError) { try check(easel_gif_writer_add_loop(writer, UInt16(repeats))) }

  func addApplication(_ name: String, _ content: [UInt8], isXMP: Bool) throws(ImageError) {
    try check(easel_gif_writer_add_application(writer, name, content, content.count, isXMP))
  }

  /// A frame with one index a pixel; a frame without colours uses the file's table.
  struct Frame {
    let indices: [UInt8]
    let rect: PixelRect
    let colors: GIFColors?
    let transparent: Int?
    let delay: Int
    let isCleared: Bool
  }

  private func begin(_ stored: Frame) throws(ImageError) {
    let rect = stored.rect
    var frame = easel_gif_frame()
    (frame.x, frame.y, frame.width, frame.height) = (rect.x, rect.y, rect.width, rect.height)
    frame.delay = UInt16(stored.delay)
    frame.disposal = stored.isCleared ? 2 : 1
    frame.transparent = Int16(stored.transparent ?? -1)
    let table = stored.colors?.table ?? []
    let status = table.withUnsafeBufferPointer { table in
      frame.colors = table.baseAddress
      frame.color_count = table.count / 3
      return easel_gif_writer_begin_frame(writer, &frame)
    }
    try check(status)
  }

  /// Adds a frame that may be drawn with other colours of its table than its own, where that saves bytes.
  func add(
    _ frame: Frame, of part: GIFStoredArea, tableOf colors: GIFColors, loss: GIFLoss, work: WorkContext
  ) throws(ImageError) {
    try begin(frame)
    let limits = try part.limits(of: loss, work: work)
    let mayGoOn = CancellationCheck(work)
    let status = part.withPixels { pixels, bytesPerRow in
      frame.indices.withUnsafeBufferPointer { indices in
        limits.withUnsafeBufferPointer { limits in
          colors.table.withUnsafeBufferPointer { table in
            var picture = easel_gif_lossy()
            (picture.pixels, picture.stride, picture.width) = (pixels, bytesPerRow, frame.rect.width)
            (picture.indices, picture.limits) = (indices.baseAddress, limits.baseAddress)
            (picture.colors, picture.color_count) = (table.baseAddress, table.count / 3)
            picture.transparent = Int16(frame.transparent ?? -1)
            return mayGoOn.asked { easel_gif_writer_add_lossy(writer, &picture, indices.count, $0, $1) }
          }
        }
      }
    }
    if let failure = mayGoOn.failure { throw failure }
    try check(status)
  }

  /// Adds a frame.
  func add(_ frame: Frame, work: WorkContext) throws(ImageError) {
    try begin(frame)
    let (indices, rect) = (frame.indices, frame.rect)
    // Compressing a pixel takes about ten times as long as copying it.
    let most = max(1, CancellationPace.lines(of: rect.width) / 10)
    var row = 0
    while row < rect.height {
      try work.checkCancellation()
      let count = min(most, rect.height - row)
      let status = indices.withUnsafeBufferPointer {
        easel_gif_writer_add_rows(writer, $0.baseAddress! + row * rect.width, rect.width, count)
      }
      try check(status)
      row += count
    }
  }

  func finish() throws(ImageError) -> Data {
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    try check(easel_gif_writer_finish(writer, &bytes, &count))
    guard let bytes else { throw GIFStoredArea.noMemory }
    return Data(bytes: bytes, count: count)
  }

  private func check(_ status: easel_gif_status) throws(ImageError) {
    guard status == EASEL_GIF_OK else { throw GIFStoredArea.noMemory }
  }
}
