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
  var frames: [PNGFrame] = []
  /// Whether the frames contradict each other, so that only the still picture can be trusted.
  var hasBrokenFrames = false
  var profile: PNGChunk?
  var exif: EXIF?
  var xmp: Data?
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
  var hasAlpha: Bool {
    pixelsHaveAlpha || !storedFrames.areAlwaysOpaque(on: header.size)
  }

  /// What the file says of each frame that can be played.
  var storedFrames: [StoredFrame] {
    playableFrames.map { frame in
      var stored = frame.stored
      stored.hasAlpha = pixelsHaveAlpha
      return stored
    }
  }

  var orientation: ImageOrientation { exif?.orientation ?? .up }

  /// The frames, when the picture moves; of a file that ends too early those that are whole.
  var playableFrames: [PNGFrame] {
    guard let animation, !hasBrokenFrames, animation.frames > 1 else { return [] }
    if hasEnd && damage == nil {
      return frames.count == animation.frames && frames.allSatisfy { $0.data != nil } ? frames : []
    }
    let whole = Array(frames.dropLast())
    return whole.count > 1 && whole.allSatisfy { $0.data != nil } ? whole : []
  }

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

  func imageHeader(profileBytes: Int) -> ImageHeader {
    let frames = playableFrames
    var result = ImageHeader(
      format: .png, storedSize: header.size, orientation: orientation, frameCount: max(1, frames.count),
      loopCount: frames.isEmpty ? 0 : animation?.plays ?? 0, hasAlpha: hasAlpha, bitDepth: header.bitDepth)
    result.storedLoopCount = animation?.plays
    result.storedDelays = frames.map(\.stored.delay)
    result.iccProfileBytes = profileBytes
    result.exifBytes = exif?.bytes.count ?? 0
    return result
  }
}
