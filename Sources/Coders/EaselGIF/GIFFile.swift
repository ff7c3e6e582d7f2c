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
  var frames: [GIFFrame] = []
  /// How often the frames are repeated, 0 for ever; nil when the file does not say.
  var repeats: Int?
  /// The sub-blocks of the profile.
  var profile: Range<Int>?
  var xmp: Data?
  /// What is wrong with the file after its pixels have begun.
  var damage: String?
  /// Whether everything up to the end was seen.
  var hasEnd = false

  /// The frames that are there from the first to the last byte.
  var wholeFrames: [GIFFrame] { frames.last?.isWhole == false ? frames.dropLast() : frames }

  /// Whether more than one frame can be shown.
  var isMoving: Bool { wholeFrames.count > 1 }

  var plays: Int { repeats.map { $0 == 0 ? 0 : $0 + 1 } ?? 1 }

  /// What the canvas is before the first frame: colour 0 of a frame without transparent pixels, else nothing.
  var ground: PixelColor { frames.first?.opaqueColor(0) ?? .clear }

  /// What the file says of the frames that can be shown; of one that is not whole yet when there is no other.
  var storedFrames: [StoredFrame] {
    (isMoving ? wholeFrames : Array(frames.prefix(1))).map { $0.stored(on: canvas, background: background) }
  }

  /// Whether some pixel may be transparent.
  var hasAlpha: Bool { !storedFrames.areAlwaysOpaque(on: canvas, ground: ground) }

  func imageHeader(profileBytes: Int) -> ImageHeader {
    var header = ImageHeader(
      format: .gif, storedSize: canvas, frameCount: max(1, wholeFrames.count), loopCount: plays, hasAlpha: hasAlpha)
    header.storedLoopCount = repeats
    header.storedDelays = isMoving ? wholeFrames.map(\.control.delay) : []
    header.iccProfileBytes = profileBytes
    return header
  }
}
