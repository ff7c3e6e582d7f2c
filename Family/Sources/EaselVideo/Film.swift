import CEaselVideo
import EaselCore
import EaselPixels

/// A film whose header FFmpeg has read.
///
/// Its calls must not overlap.
final class Film {
  /// The size of the upright picture with square pixels.
  let size: PixelSize
  let header: ImageHeader
  let seconds: Double

  private let film: OpaquePointer
  /// The bytes that FFmpeg reads until the film is closed.
  private let bytes: UnsafeMutableRawBufferPointer
  private let orientation: ImageMetadata.Orientation

  init(_ bytes: ImageBytes, work: WorkContext) throws {
    try work.checkCancellation()
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
    do {
      let count = try bytes.read(at: 0, into: copy)
      film = try Self.open(UnsafeRawBufferPointer(rebasing: copy[..<count]), work.limits)
    } catch {
      copy.deallocate()
      throw error
    }
    self.bytes = copy
    var facts = easel_video_facts_of(film)
    switch facts.turn {
    case 90: orientation = .right
    case 180: orientation = .down
    case 270: orientation = .left
    default: orientation = .up
    }
    let ratio = (0.05...20).contains(facts.pixel_ratio) ? facts.pixel_ratio : 1
    let square = PixelSize(width: max(1, Int((Double(facts.width) * ratio).rounded())), height: Int(facts.height))
    size = orientation.swapsSides ? square.transposed : square
    seconds = facts.seconds
    let container = Self.text(of: &facts.container), coding = Self.text(of: &facts.coding)
    let prefix = Array(copy.prefix(64))
    // A second may be missing at the end.
    let pages = max(1, min(work.limits.frames, Int(min(seconds, 1e6).rounded(.up))))
    header = Self.header(
      VideoFormat.of(container: container, prefix: prefix), size, pages: pages,
      note: "A film of \((seconds * 10).rounded() / 10) s in \(coding), \(facts.has_sound ? "with" : "without") sound.")
    try work.limits.check(frame: size, claimedBy: "Video: the header")
  }

  deinit {
    easel_video_close(film)
    bytes.deallocate()
  }

  private static func header(_ format: ImageFormat, _ size: PixelSize, pages: Int, note: String) -> ImageHeader {
    var header = ImageHeader(format: format, storedSize: size, frameCount: pages)
    header.loopCount = 1
    header.storedDelays = pages > 1 ? [Duration](repeating: .zero, count: pages) : []
    header.notes = [note]
    return header
  }

  private static func text<Tuple>(of name: inout Tuple) -> String {
    withUnsafeBytes(of: &name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func open(_ bytes: UnsafeRawBufferPointer, _ limits: Limits) throws(ImageError) -> OpaquePointer {
    var film: OpaquePointer?
    var message = [CChar](repeating: 0, count: Int(EASEL_VIDEO_MESSAGE_BYTES))
    let status = easel_video_open(
      bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, Int64(min(limits.framePixels, 1 << 40)),
      &film, &message)
    guard status == EASEL_VIDEO_OK, let film else {
      throw error(status, String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    return film
  }

  private static func error(_ status: easel_video_status, _ text: String) -> ImageError {
    switch status {
    case EASEL_VIDEO_NO_MEMORY:
      return ImageError(.limitExceeded, "Video: there is not enough memory to decode it (\(text)).")
    case EASEL_VIDEO_UNKNOWN:
      return ImageError(.unsupportedFormat, "Video: FFmpeg does not show this kind of file (\(text)).")
    case EASEL_VIDEO_END: return ImageError(.badImageData, "Video: there is no frame to show.")
    default: return ImageError(.badImageData, "Video: \(text).")
    }
  }

  // MARK: Frames

  /// Moves to the frame that is shown at a time; if the film is shorter, to its last frame.
  func move(to seconds: Double, work: WorkContext) throws {
    try begin(before: seconds, work: work)
    var passed = 0
    // The frame before the time is shown until the next, but one that begins a hair later is meant too.
    while easel_video_time(film) < seconds - Self.hair {
      guard easel_video_advance(film) == EASEL_VIDEO_OK else {
        // The end of the film: its last frame is decoded again.
        return try begin(before: seconds, counting: passed, work: work)
      }
      passed += 1
      try work.checkCancellation()
    }
  }

  private static let hair = 0.02

  /// Decodes a first frame that is not later than the time, and so many more.
  private func begin(before seconds: Double, counting wanted: Int = 0, work: WorkContext) throws {
    // A search may end too late, so it is repeated from earlier places, and at last from the beginning.
    for earlier in [0, 1, 4, 15, Double.infinity] {
      let place = max(0, seconds - earlier)
      guard easel_video_seek(film, place) == EASEL_VIDEO_OK, easel_video_advance(film) == EASEL_VIDEO_OK else {
        if place == 0 { break }
        continue
      }
      guard place == 0 || easel_video_time(film) <= seconds + Self.hair else { continue }
      for _ in 0..<wanted { try advance(work) }
      return
    }
    throw Self.error(EASEL_VIDEO_END, "")
  }

  func advance(_ work: WorkContext) throws {
    try work.checkCancellation()
    let status = easel_video_advance(film)
    guard status == EASEL_VIDEO_OK else { throw Self.error(status, "a frame is damaged") }
  }

  /// The looks of the present frame.
  func look() throws(ImageError) -> easel_video_looks {
    var looks = easel_video_looks()
    let status = easel_video_look(film, &looks)
    guard status == EASEL_VIDEO_OK else { throw Self.error(status, "the colours of a frame are not known") }
    return looks
  }

  /// The present frame, upright and of this size.
  func bitmap(_ size: PixelSize, work: WorkContext) throws -> Bitmap {
    try work.limits.check(frame: size, claimedBy: "Video: the picture")
    let stored = orientation.swapsSides ? size.transposed : size
    var bitmap = try Bitmap(size: stored, format: .opaqueRGBA8)
    let stride = bitmap.bytesPerRow
    let status = bitmap.withUnsafeMutableBytes { pixels in
      easel_video_draw(
        film, pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), stride, CInt(stored.width), CInt(stored.height))
    }
    guard status == EASEL_VIDEO_OK else { throw Self.error(status, "the colours of a frame are not known") }
    return try bitmap.oriented(orientation, work: work)
  }
}
