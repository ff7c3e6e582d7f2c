import CEaselWebP
import EaselCoding
import EaselCore
import EaselSupport

/// Makes a thumbnail from planes, on a second thread while libwebp decodes the next piece.
///
/// Scaling by libwebp would take longer. The pixels equal the result of libwebp when it scales to `size`.
///
/// There are two buffers for pieces: the thread reads one while libwebp writes the other. Each buffer is as large as
/// all rows, but only the part at its start is ever touched.
final class WebPPlaneReduction: WebPReduction {
  /// The memory for the rows of one piece; two pieces are in memory at a time.
  static let bytesPerPiece = 128 << 10

  let bytesPerRow: Int
  let portions: Int
  private let height: Int
  private let places: [PooledBuffer]
  /// The number of rows that are in the thumbnail, or queued for it.
  private var taken = 0
  /// The index of the buffer for the next piece.
  private var place = 0
  private let thread: WebPSecondThread<Rows>

  /// Returns true if pictures like this frame can be reduced in this way when they are first scaled to `size`.
  static func suits(_ frame: WebPFrame, scaledTo size: PixelSize) -> Bool {
    guard !frame.isLossless, !frame.placing.hasAlpha else { return false }
    return easel_webp_can_shrink(
      UInt32(frame.size.width), UInt32(frame.size.height), UInt32(size.width), UInt32(size.height))
  }

  /// `source` is the size of the planes.
  ///
  /// `size` is the size to which they are scaled before a better filter does the rest.
  init(
    from source: PixelSize, through size: PixelSize, to target: PixelSize, averagesLight: Bool, format: PixelFormat,
    mayUseThread: Bool = CPUBudget.processors > 1
  ) throws(ImageError) {
    let planes = easel_webp_planes_of(UInt32(source.width), UInt32(source.height))
    bytesPerRow = planes.stride
    portions = min(128, planes.bytes / Self.bytesPerPiece)
    height = source.height
    let usesThread = mayUseThread && portions > 2
    var places: [PooledBuffer] = []
    for _ in 0..<(usesThread ? 2 : 1) {
      guard let buffer = BufferPool.shared.buffer(ofAtLeast: planes.bytes) else { throw Self.noMemory(source) }
      places.append(buffer)
    }
    self.places = places
    let reducer = try RowReducer(from: size, to: target, format: format, averagesLight: averagesLight)
    guard let shrinker = WebPShrinker(from: source, to: size) else { throw Self.noMemory(source) }
    thread = WebPSecondThread(
      for: Rows(places: places, shrinker: shrinker, reducer: reducer), isStarted: usesThread)
  }

  var target: UnsafeMutableRawPointer { places[place].bytes.baseAddress! - taken * bytesPerRow }

  func take(upTo end: Int) throws(ImageError) {
    // A row of colours belongs to two rows of brightness.
    let end = end < height ? end & ~1 : end
    guard end > taken else { return }
    try settle()
    let due = Due(start: UnsafeRawPointer(places[place].bytes.baseAddress!), count: end - taken)
    thread.queue { $0.due = due }
    taken = end
    guard places.count > 1 else { return try settle() }
    place = 1 - place
  }

  func finish() throws(ImageError) -> Bitmap {
    try settle()
    return thread.settle(\.reducer.bitmap)
  }

  /// Returns once all queued rows are in the thumbnail.
  private func settle() throws(ImageError) {
    if let failure = thread.settle(\.failure) { throw failure }
  }

  private static func noMemory(_ size: PixelSize) -> ImageError {
    ImageError.exhausted("WebP: there is no memory for the rows of a picture of \(size).")
  }
}

extension WebPPlaneReduction {
  /// Consecutive rows that are not yet in the thumbnail.
  private struct Due {
    let start: UnsafeRawPointer
    let count: Int
  }

  private struct Rows: WebPQueuedWork {
    /// The buffers, held as long as the thread may read from them.
    let places: [PooledBuffer]
    let shrinker: WebPShrinker
    let reducer: RowReducer
    var due: Due?
    var failure: ImageError?

    mutating func finish() {
      guard let due, failure == nil else { return }
      self.due = nil
      do throws(ImageError) {
        try shrinker.shrink(due.start, count: due.count) { row throws(ImageError) in try reducer.push(row) }
      } catch {
        failure = error
      }
    }
  }
}
