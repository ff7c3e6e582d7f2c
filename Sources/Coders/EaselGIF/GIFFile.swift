import EaselCoding
import EaselCore
import FoundationEssentials

/// What is known of a file from everything but its pixels.
struct GIFFile {
  /// The size of the canvas; where the file states none it is that of the first frame.
  var canvas: PixelSize
  /// Red, green and blue of each colour that all frames share.
  var table: [UInt8]
  /// The index of the background.
  var background: Int
  /// The frames that are there from the first to the last byte.
  private(set) var frames = FrameRow<GIFFrame>()
  /// The frame whose pixels are being stepped over.
  private(set) var current: GIFFrame?
  private var summary = FrameSummary()
  /// How often the frames are repeated, 0 for ever; nil when the file does not say.
  var repeats: Int?
  var profile: Data?
  var xmp: Data?
  /// What is wrong with the file after its pixels have begun.
  var damage: String?
  /// Whether everything up to the end was seen.
  var hasEnd = false

  init(canvas: PixelSize, table: [UInt8], background: Int) {
    self.canvas = canvas
    self.table = table
    self.background = background
  }

  /// Begins with the next frame.
  mutating func begin(_ frame: GIFFrame) {
    if frames.isEmpty { summary = FrameSummary(ground: frame.opaqueColor(0)) }
    current = frame
  }

  /// Ends the frame that was begun, at the end of its data.
  mutating func endFrame(at end: Int) {
    guard var frame = current else { return }
    frame.dataEnd = end
    summary.add(frame.stored(on: canvas, background: background), on: canvas)
    frames.append(frame)
    current = nil
  }

  /// The frame that is shown first, whole or not.
  var first: GIFFrame? { frames.first ?? current }

  /// Whether more than one frame can be shown.
  var isMoving: Bool { frames.count > 1 }

  var plays: Int { repeats.map { $0 == 0 ? 0 : $0 + 1 } ?? 1 }

  /// What the canvas is before the first frame: colour 0 of a frame without transparent pixels, else nothing.
  var ground: PixelColor { first?.opaqueColor(0) ?? .clear }

  var restoresBefore: Bool { summary.restoresBefore }

  /// Whether some pixel of the frames that can be shown may be transparent.
  var hasAlpha: Bool {
    if isMoving { return !summary.areOpaque }
    guard let first else { return false }
    var alone = FrameSummary(ground: ground)
    alone.add(first.stored(on: canvas, background: background), on: canvas)
    return !alone.areOpaque
  }

  /// The header without the delays of the frames, which take time to list and which no picture needs.
  var pictureHeader: ImageHeader {
    var header = ImageHeader(
      format: .gif, storedSize: canvas, frameCount: max(1, frames.count), loopCount: plays, hasAlpha: hasAlpha)
    header.storedLoopCount = repeats
    header.iccProfileBytes = profile?.count ?? 0
    return header
  }

  var imageHeader: ImageHeader {
    var header = pictureHeader
    header.storedDelays = isMoving ? frames.all.map(\.control.delay) : []
    return header
  }
}
