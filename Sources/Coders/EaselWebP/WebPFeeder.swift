import CEaselWebP
import EaselCore

/// Passes the bytes of one frame to libwebp in pieces, so that the work can be cancelled between them.
final class WebPFeeder {
  /// A description of damage in the pixels.
  private(set) var damage: String?
  private(set) var isComplete = false

  private let decoder: OpaquePointer
  private let start: Int
  private let length: Int
  private let step: Int
  private var fed = 0
  /// The bytes read from a file so far; bytes in memory are used in place.
  private var copy: (buffer: PooledBuffer, count: Int)?

  /// Makes rows opaque when the picture declares no alpha but its pixels may contain some; nil otherwise.
  private let opaqueRows: WebPOpaqueRows?

  /// With `isGradual` the pieces are small enough to show the picture grow.
  ///
  /// For damaged pixels, the result of libwebp depends on the pieces. So the pieces are always the same when partial
  /// pictures may be shown. Otherwise there are fewer pieces, because each one costs time: libwebp goes back a little
  /// at its end, and the threads of libwebp wait for one another.
  init(_ frame: WebPFrame, size: PixelSize, hasAlpha: Bool, isGradual: Bool) throws(ImageError) {
    let usesThreads = CPUBudget.processors > 1
    var output = easel_webp_output(
      width: UInt32(size.width), height: UInt32(size.height), is_scaled: size != frame.size, uses_threads: usesThreads)
    var made: OpaquePointer?
    guard easel_webp_decoder_create(&output, &made) == EASEL_WEBP_OK, let made else {
      throw Self.noMemory(frame.size)
    }
    decoder = made
    start = frame.start
    length = frame.end - frame.start
    let pieces = max(isGradual ? 32 : 1, min(64, frame.size.area / Self.pixelsPerPiece(frame)))
    step = max(1, length / pieces)
    opaqueRows =
      frame.isLossless && !hasAlpha
      ? WebPOpaqueRows(width: size.width, usesThread: usesThreads && !isGradual && pieces > 1) : nil
    self.size = frame.size
  }

  /// The pixels decoded between two checks for cancellation, about ten milliseconds of work.
  private static func pixelsPerPiece(_ frame: WebPFrame) -> Int { frame.isLossless ? 1 << 19 : 1 << 21 }

  private let size: PixelSize

  deinit { easel_webp_decoder_destroy(decoder) }

  /// The number of finished rows, at the decoded size.
  var rows: Int { Int(easel_webp_decoder_rows(decoder)) }

  private var isOver: Bool { isComplete || damage != nil }

  /// Continues as far as the bytes go; `isWhole` means that no more bytes will come.
  func advance(
    over bytes: ImageBytes, isWhole: Bool, into target: UnsafeMutableRawPointer, bytesPerRow: Int, work: WorkContext
  ) throws(ImageError) {
    let available = max(0, min(length, bytes.count - start))
    var outcome = Result<Void, ImageError>.success(())
    let isInMemory: Void? = bytes.withBytesInMemory { memory in
      outcome = Result { () throws(ImageError) in
        try feed(upTo: available, isWhole: isWhole, target, bytesPerRow, work) { _ throws(ImageError) in
          memory.baseAddress! + start
        }
      }
    }
    try outcome.get()
    if isInMemory == nil {
      try feed(upTo: available, isWhole: isWhole, target, bytesPerRow, work) { count throws(ImageError) in
        try read(upTo: count, of: bytes)
      }
    }
    if isWhole && !isOver { damage = "the file ends after \(bytes.count) bytes, in the middle of the picture" }
  }

  private func feed(
    upTo available: Int, isWhole: Bool, _ target: UnsafeMutableRawPointer, _ bytesPerRow: Int, _ work: WorkContext,
    from source: (Int) throws(ImageError) -> UnsafeRawPointer
  ) throws(ImageError) {
    // The next call may have another target.
    defer { opaqueRows?.settle() }
    while !isOver && fed < available {
      // A rest too small for a piece is added to the last one.
      let next = length - fed < 2 * step ? length : fed + step
      guard available >= next || isWhole else { return }
      try work.checkCancellation()
      fed = min(available, next)
      let first = rows
      let status = easel_webp_decoder_feed(decoder, try source(fed), fed, target, bytesPerRow)
      opaqueRows?.take(target + first * bytesPerRow, bytesPerRow: bytesPerRow, count: rows - first)
      try take(status)
    }
  }

  private func take(_ status: easel_webp_status) throws(ImageError) {
    switch status {
    case EASEL_WEBP_OK: isComplete = true
    case EASEL_WEBP_NEEDS_MORE: if fed == length { damage = "the pixels end before the last row" }
    case EASEL_WEBP_NO_MEMORY: throw Self.noMemory(size)
    default: damage = "libwebp cannot read the pixels"
    }
  }

  private func read(upTo count: Int, of bytes: ImageBytes) throws(ImageError) -> UnsafeRawPointer {
    if copy == nil, let buffer = BufferPool.shared.buffer(ofAtLeast: length) { copy = (buffer, 0) }
    guard let copy else { throw Self.noMemory(size) }
    let free = UnsafeMutableRawBufferPointer(rebasing: copy.buffer.bytes[copy.count..<max(copy.count, count)])
    let read = try bytes.read(at: start + copy.count, into: free)
    self.copy = (copy.buffer, copy.count + read)
    return UnsafeRawPointer(copy.buffer.bytes.baseAddress!)
  }

  private static func noMemory(_ size: PixelSize) -> ImageError {
    ImageError.exhausted("WebP: there is no memory to read a picture of \(size).")
  }
}
