import CEaselWebP
import EaselCore
import EaselSupport

/// Passes the bytes of one frame to libwebp in pieces, so that the work can be cancelled between them.
final class WebPFeeder {
  /// A description of damage in the pixels.
  private(set) var damage: String?
  private(set) var isComplete = false

  private let decoder: OpaquePointer
  private let start: Int
  private let length: Int
  private let step: Int
  /// The least size of pieces, which become smaller towards the end.
  private let leastStep: Int
  private var fed = 0
  /// The bytes read from a file so far, or the last piece of them; bytes in memory are used in place.
  private var copy: (buffer: PooledBuffer, count: Int)?
  /// True if pieces of a file are handed over to libwebp, which frees them as soon as they are decoded.
  private let handsOver: Bool

  /// Makes rows opaque if the picture declares no alpha but its pixels may contain some; nil otherwise.
  private let opaqueRows: WebPOpaqueRows?
  /// True if finished rows are used before the next piece.
  private let settlesPieces: Bool

  /// With `isGradual`, the pieces are small enough to show the picture grow.
  ///
  /// For damaged pixels, the result of libwebp depends on the pieces. So the pieces are always the same if partial
  /// pictures may be shown. Otherwise there are fewer pieces, because each piece costs time: libwebp goes back a little
  /// at the end of a piece, and the threads of libwebp wait for one another.
  ///
  /// With `isPlanar`, the rows are rows of planes, which are not scaled. With `portions`, finished rows are used before
  /// the next piece, and there are at least this many pieces.
  init(
    _ frame: WebPFrame, size: PixelSize, hasAlpha: Bool, isGradual: Bool, isPlanar: Bool = false, portions: Int? = nil
  ) throws(ImageError) {
    let usesThreads = CPUBudget.processors > 1
    let decoded = isPlanar ? frame.size : size
    var output = easel_webp_output(
      width: UInt32(decoded.width), height: UInt32(decoded.height), is_scaled: decoded != frame.size,
      uses_threads: usesThreads, is_planar: isPlanar)
    var made: OpaquePointer?
    guard easel_webp_decoder_create(&output, &made) == EASEL_WEBP_OK, let made else {
      throw Self.noMemory(frame.size)
    }
    decoder = made
    start = frame.start
    length = frame.end - frame.start
    let pieces = max(isGradual ? 32 : 1, portions ?? 1, min(64, frame.size.area / Self.pixelsPerPiece(frame)))
    step = max(1, length / pieces)
    // While the last rows are made opaque, nothing is left to decode, so the last pieces are small.
    leastStep = frame.isLossless && !isGradual ? max(1, min(step, length / max(1, frame.size.area >> 18))) : step
    opaqueRows =
      frame.isLossless && !hasAlpha
      ? WebPOpaqueRows(width: size.width, usesThread: usesThreads && !isGradual && portions == nil && pieces > 2)
      : nil
    settlesPieces = portions != nil
    // libwebp buffers the whole data of lossless pictures and of alpha planes.
    handsOver = !isGradual && pieces > 1 && !frame.isLossless && !frame.placing.hasAlpha
    self.size = frame.size
  }

  /// The number of pixels decoded between two checks for cancellation, ten to twenty milliseconds of work.
  private static func pixelsPerPiece(_ frame: WebPFrame) -> Int { frame.isLossless ? 1 << 20 : 1 << 21 }

  private let size: PixelSize

  deinit { easel_webp_decoder_destroy(decoder) }

  /// The number of finished rows, at the size at which libwebp decodes.
  var rows: Int { Int(easel_webp_decoder_rows(decoder)) }

  private var isOver: Bool { isComplete || damage != nil }

  /// Decodes the bytes that have arrived; `isWhole` means that no more bytes will come.
  ///
  /// `target` is called before each piece for the place of the picture's first row. This place may move when finished
  /// rows are no longer needed.
  func advance(
    over bytes: ImageBytes, isWhole: Bool, bytesPerRow: Int, work: WorkContext,
    into target: () throws(ImageError) -> UnsafeMutableRawPointer
  ) throws(ImageError) {
    let available = max(0, min(length, bytes.count - start))
    var outcome = Result<Void, ImageError>.success(())
    let isInMemory: Void? = bytes.withBytesInMemory { memory in
      outcome = Result { () throws(ImageError) in
        try feed(upTo: available, isWhole: isWhole, bytesPerRow, work, into: target) { target throws(ImageError) in
          easel_webp_decoder_feed(decoder, memory.baseAddress! + start, fed, target, bytesPerRow)
        }
      }
    }
    try outcome.get()
    if isInMemory == nil {
      try feed(upTo: available, isWhole: isWhole, bytesPerRow, work, into: target) { target throws(ImageError) in
        try feed(from: bytes, target, bytesPerRow)
      }
    }
    if isWhole && !isOver { damage = "the file ends after \(bytes.count) bytes, in the middle of the picture" }
  }

  private func feed(
    upTo available: Int, isWhole: Bool, _ bytesPerRow: Int, _ work: WorkContext,
    into target: () throws(ImageError) -> UnsafeMutableRawPointer,
    piece: (UnsafeMutableRawPointer) throws(ImageError) -> easel_webp_status
  ) throws(ImageError) {
    // The next call may have another target.
    defer { opaqueRows?.settle() }
    while !isOver && fed < available {
      let rest = length - fed
      // A remainder that is too small for a piece is added to the last piece.
      let next = rest < 2 * leastStep ? length : fed + min(step, max(leastStep, rest / 2))
      guard available >= next || isWhole else { return }
      try work.checkCancellation()
      fed = min(available, next)
      let first = rows
      let target = try target()
      let status = try piece(target)
      opaqueRows?.take(target + first * bytesPerRow, bytesPerRow: bytesPerRow, count: rows - first)
      if settlesPieces { opaqueRows?.settle() }
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

  private func feed(
    from file: ImageBytes, _ target: UnsafeMutableRawPointer, _ bytesPerRow: Int
  ) throws(ImageError) -> easel_webp_status {
    if copy == nil, let buffer = BufferPool.shared.buffer(ofAtLeast: handsOver ? min(length, 2 * step) : length) {
      copy = (buffer, 0)
    }
    guard let copy else { throw Self.noMemory(size) }
    let begin = handsOver ? 0 : copy.count
    let free = UnsafeMutableRawBufferPointer(rebasing: copy.buffer.bytes[begin...].prefix(fed - copy.count))
    let count = try file.read(at: start + copy.count, into: free)
    self.copy = (copy.buffer, copy.count + count)
    let bytes = copy.buffer.bytes.baseAddress!
    return handsOver
      ? easel_webp_decoder_append(decoder, bytes, count, target, bytesPerRow)
      : easel_webp_decoder_feed(decoder, bytes, copy.count + count, target, bytesPerRow)
  }

  private static func noMemory(_ size: PixelSize) -> ImageError {
    ImageError.exhausted("WebP: there is no memory to read a picture of \(size).")
  }
}
