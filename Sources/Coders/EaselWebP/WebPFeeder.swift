import CEaselWebP
import EaselCore

/// Gives the bytes of one frame to libwebp, a piece at a time, so that the work can be stopped between them.
final class WebPFeeder {
  /// What is wrong with the pixels.
  private(set) var damage: String?
  private(set) var isComplete = false

  private let decoder: OpaquePointer
  private let start: Int
  private let length: Int
  private let step: Int
  private var fed = 0
  /// What was read of a file so far; bytes in memory are used where they are.
  private var copy: (buffer: PooledBuffer, count: Int)?

  /// Of a picture whose pixels may contain alpha that does not count.
  private let opaqueRows: WebPOpaqueRows?

  /// With `isGradual` the pieces are small enough to be seen to grow.
  ///
  /// What libwebp makes of damaged pixels depends on the pieces: they are the same wherever parts may be shown. Where
  /// they may not, there are fewer, since libwebp goes back a little at the end of each and its threads wait for one
  /// another.
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
    let pieces = max(isGradual ? 32 : 1, min(64, frame.size.area / Self.pixelsOfAPiece(frame)))
    step = max(1, length / pieces)
    opaqueRows =
      frame.isLossless && !hasAlpha
      ? WebPOpaqueRows(width: size.width, usesThread: usesThreads && !isGradual && pieces > 1) : nil
    self.size = frame.size
  }

  /// As much of a picture is made between two looks at whether it is still wanted: some ten milliseconds' worth.
  private static func pixelsOfAPiece(_ frame: WebPFrame) -> Int { frame.isLossless ? 1 << 19 : 1 << 21 }

  private let size: PixelSize

  deinit { easel_webp_decoder_destroy(decoder) }

  /// The rows that are finished, of the size that is made.
  var rows: Int { Int(easel_webp_decoder_rows(decoder)) }

  private var isOver: Bool { isComplete || damage != nil }

  /// Goes on as far as the bytes do; with `isWhole` there will be no more of them.
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
    // The target may be elsewhere the next time.
    defer { opaqueRows?.settle() }
    while !isOver && fed < available {
      // What would be too little for a piece at the end goes with the one before.
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
    ImageError(.limitExceeded, "WebP: there is no memory to read a picture of \(size).")
  }
}
