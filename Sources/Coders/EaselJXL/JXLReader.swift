import CEaselJXL
import EaselCoding
import EaselCore
import EaselSupport
import FoundationEssentials

/// Reads a file through libjxl, from one event to the next.
///
/// The class is unchecked because only one thread at a time uses a reader: first the thread that decodes the picture,
/// and later the frame source, under its lock.
final class JXLReader: @unchecked Sendable {
  /// The content that is to be read.
  enum Purpose {
    /// Headers of the file and of its layers, and metadata.
    case headers
    /// The ends of layers, without decoding their pixels.
    case ends
    /// Pixels of the frames that are shown.
    case pixels
    /// The JPEG that was packed into the file.
    case jpeg
  }

  enum Event {
    case header, colors, frame, needsTarget, pixels, end
    /// The bytes end too early.
    case cutOff
    case damaged
  }

  private let reader: OpaquePointer

  init(_ purpose: Purpose, limits: Limits) throws(ImageError) {
    var reading = easel_jxl_reading()
    reading.threads = Int32(CPUBudget.processors)
    reading.reads_pixels = purpose == .pixels || purpose == .ends
    reading.reads_boxes = purpose == .headers
    reading.shows_layers = purpose == .headers || purpose == .ends
    reading.reads_jpeg = purpose == .jpeg
    reading.most_box_bytes = max(0, limits.metadataBytes)
    reading.most_jpeg_bytes = max(0, limits.downloadBytes)
    guard let reader = easel_jxl_reader_create(&reading) else {
      throw .exhausted("JXL: there is no memory for the decoder.")
    }
    self.reader = reader
  }

  deinit { easel_jxl_reader_destroy(reader) }

  /// Continues to the next event.
  ///
  /// The bytes must be in memory, and must begin with the bytes of the previous call.
  func next(over bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Event {
    try work.checkCancellation()
    let check = CancellationCheck(work)
    let event = bytes.withBytesInMemory { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return check.asked { easel_jxl_reader_next(reader, start, bytes.count, $0, $1) }
    }
    switch event {
    case EASEL_JXL_HEADER: return .header
    case EASEL_JXL_COLORS: return .colors
    case EASEL_JXL_FRAME: return .frame
    case EASEL_JXL_NEEDS_TARGET: return .needsTarget
    case EASEL_JXL_PIXELS: return .pixels
    case EASEL_JXL_END: return .end
    case EASEL_JXL_CUT_OFF: return .cutOff
    case EASEL_JXL_NO_MEMORY: throw .exhausted("JXL: there is no memory to read the file.")
    case EASEL_JXL_TOO_LARGE: throw Self.tooLarge(work.limits)
    case EASEL_JXL_STOPPED:
      throw check.failure ?? .exhausted("JXL: there is no memory for the rows of the picture.")
    default: return .damaged
    }
  }

  private static func tooLarge(_ limits: Limits) -> ImageError {
    ImageError(
      .limitExceeded,
      "JXL: a block of metadata is over the limit of \(limits.metadataBytes) bytes, or the JPEG inside over that of "
        + "\(limits.downloadBytes). Raise Limits.metadataBytes or Limits.downloadBytes to allow it.")
  }

  /// The number of bytes that libjxl has read.
  var consumed: Int { easel_jxl_reader_consumed(reader) }

  /// The header; valid after the event of the header.
  var header: easel_jxl_header {
    var header = easel_jxl_header()
    _ = easel_jxl_reader_header(reader, &header)
    return header
  }

  /// The colours of the pixels, valid after the event of the colours; nil if only a profile describes the colours.
  var colors: easel_jxl_colors? {
    var colors = easel_jxl_colors()
    return easel_jxl_reader_colors(reader, &colors) ? colors : nil
  }

  /// The profile of the pixels; valid after the event of the colours.
  func profile(limits: Limits) throws(ImageError) -> Data? {
    let count = easel_jxl_reader_profile_count(reader)
    guard count > 0 else { return nil }
    try limits.check(metadataBytes: count, claimedBy: "JXL: the colour profile")
    var profile = Data(count: count)
    let isRead = profile.withUnsafeMutableBytes {
      easel_jxl_reader_profile(reader, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
    }
    return isRead ? profile : nil
  }

  /// The frame or layer that has just begun.
  var frame: easel_jxl_frame? {
    var frame = easel_jxl_frame()
    return easel_jxl_reader_frame(reader, &frame) ? frame : nil
  }

  /// The EXIF block without the distance to its header; valid at the end of the file.
  var exif: Data? {
    var count = 0
    guard let start = easel_jxl_reader_exif(reader, &count), count > 4 else { return nil }
    let distance = (0..<4).reduce(0) { $0 << 8 | Int(start[$1]) }
    guard distance < count - 4 else { return nil }
    return Data(bytes: start + 4 + distance, count: count - 4 - distance)
  }

  /// The XMP block; valid at the end of the file.
  var xmp: Data? {
    var count = 0
    guard let start = easel_jxl_reader_xmp(reader, &count), count > 0 else { return nil }
    return Data(bytes: start, count: count)
  }

  /// The packed JPEG; valid after the event of the pixels.
  var jpeg: Data? {
    var count = 0
    guard let start = easel_jxl_reader_jpeg(reader, &count), count > 0 else { return nil }
    return Data(bytes: start, count: count)
  }

  /// Sets the memory for the pixels of the frame, which must stay at its place until the pixels are complete.
  ///
  /// The reader keeps the black of print colours for ``convert(_:through:work:)``.
  func setTarget(_ target: UnsafeMutableRawBufferPointer, isWide: Bool, keepsBlack: Bool) -> Bool {
    easel_jxl_reader_set_target(reader, isWide, target.baseAddress, target.count)
      && (!keepsBlack || easel_jxl_reader_keep_black(reader))
  }

  /// Converts the print colours of the frame, or a copy of them, with the black that the reader kept.
  func convert(
    _ pixels: UnsafeMutableRawBufferPointer, through cmyk: CMYKConversion, work: WorkContext
  ) throws(ImageError) {
    guard let black = easel_jxl_reader_black(reader) else { return }
    try cmyk.convert(pixels, black: black, work: work)
  }

  /// Passes the rows of the frame to a receiver, which must live until the rows are complete.
  func setReceiver(_ receiver: JXLRows, isWide: Bool) -> Bool {
    easel_jxl_reader_set_rows(
      reader, isWide,
      { context, row, count in
        Unmanaged<JXLRows>.fromOpaque(context!).takeUnretainedValue()
          .take(UnsafeRawBufferPointer(start: row, count: count))
      }, Unmanaged.passUnretained(receiver).toOpaque())
  }

  /// Writes the known part of an incomplete frame to its target; returns false if too little is known.
  func flush(work: WorkContext) throws(ImageError) -> Bool {
    try work.checkCancellation()
    return easel_jxl_reader_flush(reader)
  }

  /// Skips the pixels of a layer without decoding them; returns false if the file ends within the last layer.
  func passPixels(of bytes: ImageBytes) throws(ImageError) -> Bool {
    let event = bytes.withBytesInMemory { bytes in
      easel_jxl_reader_pass(reader, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }
    guard event != EASEL_JXL_NO_MEMORY else { throw .exhausted("JXL: there is no memory for the last frame.") }
    return event != EASEL_JXL_CUT_OFF
  }

  /// Decodes the pixels of the frame without storing them.
  func discardPixels() -> Bool { easel_jxl_reader_discard(reader) }

  /// Restarts at the first byte and continues at this frame.
  func restart(at frame: Int) { easel_jxl_reader_restart(reader, frame) }
}
