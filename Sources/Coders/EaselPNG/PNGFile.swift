import CEaselPNG
import EaselCoding
import EaselCore

/// The description of a file, without its pixels.
struct PNGFile: ScannedFile {
  static let formatName = "PNG"

  var header: PNGHeader
  /// Red, green and blue of each colour in the palette.
  var palette: [UInt8] = []
  /// The content of tRNS, if it fits the picture.
  var transparency: [UInt8] = []
  /// The first chunk of pixels.
  var data: PNGChunk?
  /// The number of compressed bytes in the first run of pixel chunks.
  var dataBytes = 0
  /// The numbers of frames and of plays that the file claims.
  var animation: (frames: Int, plays: Int)?
  /// The complete frames.
  private(set) var frames = ArrivingFrames<PNGFrame>()
  /// The frame whose data comes next or is being skipped.
  var current: PNGFrame?
  /// A summary of the frames that assumes opaque pixels.
  private var summary = FrameSummary()
  /// True if the frames contradict each other, so that only the still picture can be trusted.
  var hasBrokenFrames = false
  var profile: PNGChunk?
  var coding: ColorDescription.Coding?
  var masteringDisplay: ColorDescription.MasteringDisplay?
  var contentLight: ColorDescription.ContentLight?
  var metadata = StoredMetadata()
  /// The damage in the chunks after the start of the pixels; the pixels are spared if no frame is missing.
  var wound: Wound?
  /// True once the scanner has seen the end of the file.
  var hasEnd = false

  init(header: PNGHeader) { self.header = header }

  var storedSize: PixelSize { header.size }
  var hasPixels: Bool { data != nil }

  /// True if a pixel of the still picture or of a frame may be transparent.
  var pixelsHaveAlpha: Bool {
    header.colorType == .grayAlpha || header.colorType == .rgba || !transparency.isEmpty
  }

  /// True if a pixel may be transparent, including in parts of the canvas that frames leave empty.
  var hasAlpha: Bool { pixelsHaveAlpha || !playableFrames.isEmpty && !summary.areOpaque }

  /// Ends the current frame, if there is one.
  mutating func endFrame() {
    guard let frame = current else { return }
    var stored = frame.stored
    stored.hasAlpha = false
    summary.add(stored, on: header.size)
    frames.append(frame)
    current = nil
  }

  /// The frames of an animation; if the file ends too early, the complete frames.
  var playableFrames: ArrivingFrames<PNGFrame> {
    guard let animation, !hasBrokenFrames, frames.count > 1 else { return ArrivingFrames() }
    let isWhole = hasEnd && wound == nil
    return isWhole && frames.count != animation.frames ? ArrivingFrames() : frames
  }

  /// The colours by code points; without code points, the other numbers are useless.
  var color: ColorDescription? {
    coding.map { ColorDescription(coding: $0, masteringDisplay: masteringDisplay, contentLight: contentLight) }
  }

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

  /// The header without the delays of the frames: listing the delays takes time, and decoding does not need them.
  var pictureHeader: ImageHeader {
    let frames = playableFrames
    var result = ImageHeader(
      format: .png, storedSize: header.size, orientation: metadata.orientation, frameCount: max(1, frames.count),
      loopCount: frames.isEmpty ? 0 : animation?.plays ?? 0, hasAlpha: hasAlpha, bitDepth: header.bitDepth)
    result.storedLoopCount = animation?.plays
    result.state(metadata)
    result.color = color
    if let wound { result.notes.append(wound.note("PNG")) }
    return result
  }

  func imageHeader(profileBytes: Int) -> ImageHeader {
    var result = pictureHeader
    result.storedDelays = playableFrames.all.map(\.stored.delay)
    result.iccProfileBytes = profileBytes
    return result
  }
}
