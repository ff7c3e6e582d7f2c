import CEaselPNG
import EaselCoding
import EaselCore
import FoundationEssentials

/// What is known of a file from everything but its pixels.
struct PNGFile {
  var header: PNGHeader
  /// Red, green and blue of each colour.
  var palette: [UInt8] = []
  /// The content of tRNS where it fits the picture.
  var transparency: [UInt8] = []
  /// The first chunk of pixels.
  var data: PNGChunk?
  /// The bytes of pixels, compressed, in the first run of chunks that hold them.
  var dataBytes = 0
  /// The number of frames and plays that the file claims.
  var animation: (frames: Int, plays: Int)?
  /// The frames that are there from the first to the last byte.
  private(set) var frames = FrameRow<PNGFrame>()
  /// The frame whose data comes next or is being stepped over.
  var current: PNGFrame?
  /// Of the frames without alpha of their own.
  private var summary = FrameSummary()
  /// Whether the frames contradict each other, so that only the still picture can be trusted.
  var hasBrokenFrames = false
  var profile: PNGChunk?
  var exif: EXIF?
  var xmp: XMP?
  var density: PixelDensity?
  /// What is wrong with the file after its pixels have begun.
  var damage: String?
  /// Whether everything up to the end was seen.
  var hasEnd = false

  init(header: PNGHeader) { self.header = header }

  /// Whether some pixel of the still picture, or of a frame by itself, may be transparent.
  var pixelsHaveAlpha: Bool {
    header.colorType == .grayAlpha || header.colorType == .rgba || !transparency.isEmpty
  }

  /// Whether some pixel may be transparent; frames may leave parts of the canvas empty.
  var hasAlpha: Bool { pixelsHaveAlpha || !playableFrames.isEmpty && !summary.areOpaque }

  /// Ends the frame that was begun, if there is one.
  mutating func endFrame() {
    guard let frame = current else { return }
    var stored = frame.stored
    stored.hasAlpha = false
    summary.add(stored, on: header.size)
    frames.append(frame)
    current = nil
  }

  /// The frames, when the picture moves; of a file that ends too early those that are whole.
  var playableFrames: FrameRow<PNGFrame> {
    guard let animation, !hasBrokenFrames, frames.count > 1 else { return FrameRow() }
    let isWhole = hasEnd && damage == nil
    return isWhole && frames.count != animation.frames ? FrameRow() : frames
  }

  var orientation: ImageOrientation { exif?.orientation ?? xmp?.orientation ?? .up }

  var restoresBefore: Bool { summary.restoresBefore }

  func layout(of size: PixelSize, isWide: Bool) -> easel_png_layout {
    var layout = easel_png_layout()
    layout.width = UInt32(size.width)
    layout.height = UInt32(size.height)
    layout.bit_depth = UInt8(header.bitDepth)
    layout.color_type = header.colorType.rawValue
    layout.is_interlaced = header.isInterlaced
    layout.is_wide = isWide
    layout.palette_count = palette.count / 3
    layout.transparency_bytes = transparency.count
    withUnsafeMutableBytes(of: &layout.palette) { $0.copyBytes(from: palette) }
    withUnsafeMutableBytes(of: &layout.transparency) { $0.copyBytes(from: transparency) }
    return layout
  }

  /// The header without the delays of the frames, which take time to list and which no picture needs.
  var pictureHeader: ImageHeader {
    let frames = playableFrames
    var result = ImageHeader(
      format: .png, storedSize: header.size, orientation: orientation, frameCount: max(1, frames.count),
      loopCount: frames.isEmpty ? 0 : animation?.plays ?? 0, hasAlpha: hasAlpha, bitDepth: header.bitDepth)
    result.storedLoopCount = animation?.plays
    result.exifBytes = exif?.bytes.count ?? 0
    return result
  }

  func imageHeader(profileBytes: Int) -> ImageHeader {
    var result = pictureHeader
    result.storedDelays = playableFrames.all.map(\.stored.delay)
    result.iccProfileBytes = profileBytes
    return result
  }
}
