import EaselCoding
import EaselCore

/// The description of a file, without its pixels.
struct GIFFile: ScannedFile {
  static let formatName = "GIF"

  /// The size of the canvas; the first frame's size if the file states none.
  var canvas: PixelSize
  /// Red, green and blue of each colour in the table that all frames share.
  var table: [UInt8]
  /// The index of the background colour.
  var background: Int
  /// The frames that are complete.
  private(set) var frames = ArrivingFrames<GIFFrame>()
  /// The frame whose pixels are being skipped.
  private(set) var current: GIFFrame?
  /// The number of pixels of all frames at their own sizes; frames may reach beyond the canvas.
  private var framePixels = 0
  private var summary = FrameSummary()
  /// How often the frames are repeated (0 is forever), nil when the file does not say.
  var repeats: Int?
  var metadata = StoredMetadata()
  /// The damage in the blocks after the start of the pixels; the pixels are spared if no frame is missing.
  var wound: Wound?
  /// True once the scanner has seen the end of the file.
  var hasEnd = false

  init(canvas: PixelSize, table: [UInt8], background: Int) {
    self.canvas = canvas
    self.table = table
    self.background = background
  }

  /// Begins the next frame.
  mutating func begin(_ frame: GIFFrame) {
    if frames.isEmpty { summary = FrameSummary(ground: frame.opaqueColor(0)) }
    current = frame
    framePixels += frame.rect.size.area
  }

  /// Throws if the frames are over a limit at the size at which they are shown.
  ///
  /// A frame larger than the canvas must be decoded as a whole, so it counts at its own size.
  func check(framesShownAt size: PixelSize, limits: Limits) throws(ImageError) {
    try limits.check(frameCount: frames.count, of: size, claimedBy: "GIF: the file")
    let pixels = Double(framePixels) * Double(size.area) / Double(max(1, canvas.area))
    guard pixels <= Double(limits.totalPixels) else {
      throw ImageError(
        .limitExceeded,
        "GIF: \(frames.count) frames have \(framePixels) pixels, over the limit of \(limits.totalPixels) in all. Raise "
          + "Limits.totalPixels to allow it, or decode the first frame only.")
    }
  }

  /// Ends the current frame, at the end of its data.
  mutating func endFrame(at end: Int) {
    guard var frame = current else { return }
    frame.dataEnd = end
    summary.add(frame.stored(on: canvas, background: background), on: canvas)
    frames.append(frame)
    current = nil
  }

  /// The frame that is shown first, complete or not.
  var first: GIFFrame? { frames.first ?? current }

  var storedSize: PixelSize { canvas }
  var hasPixels: Bool { first != nil }

  /// True if more than one frame is complete.
  var isMoving: Bool { frames.count > 1 }

  var plays: Int { repeats.map { $0 == 0 ? 0 : $0 + 1 } ?? 1 }

  /// The colour of the canvas before the first frame: colour 0 if this frame has no transparency, else transparent.
  var ground: PixelColor { first?.opaqueColor(0) ?? .clear }

  var restoresBefore: Bool { summary.restoresBefore }

  /// True if a complete frame may show a transparent pixel.
  var hasAlpha: Bool {
    if isMoving { return !summary.areOpaque }
    guard let first else { return false }
    var alone = FrameSummary(ground: ground)
    alone.add(first.stored(on: canvas, background: background), on: canvas)
    return !alone.areOpaque
  }

  /// The header without the delays of the frames: listing the delays takes time, and decoding does not need them.
  var pictureHeader: ImageHeader {
    var header = ImageHeader(
      format: .gif, storedSize: canvas, frameCount: max(1, frames.count), loopCount: plays, hasAlpha: hasAlpha)
    header.storedLoopCount = repeats
    header.state(metadata)
    return header
  }

  var imageHeader: ImageHeader {
    var header = pictureHeader
    header.storedDelays = isMoving ? frames.all.map(\.control.delay) : []
    if let wound { header.notes.append(wound.note("GIF")) }
    return header
  }
}
