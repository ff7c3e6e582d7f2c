import EaselCoding
import EaselCore
import FoundationEssentials

/// What is known of a file from everything but its pixels.
struct WebPFile: Sendable {
  /// What VP8X announces.
  struct Features: OptionSet, Hashable {
    let rawValue: UInt8

    static let animation = Features(rawValue: 0x02)
    static let xmp = Features(rawValue: 0x04)
    static let exif = Features(rawValue: 0x08)
    static let alpha = Features(rawValue: 0x10)
    static let profile = Features(rawValue: 0x20)
  }

  let canvas: PixelSize
  let features: Features
  /// The number of plays as stored, nil as long as nothing was said of it.
  var plays: Int?
  /// The frames as far as their pixels have begun; of a picture that does not move just one.
  var frames: [WebPFrame] = []
  var profile: Data?
  var exif: EXIF?
  var xmp: Data?
  /// What is wrong with the file after its pixels have begun.
  var damage: String?
  /// Whether everything up to the end was seen.
  var hasEnd = false

  init(canvas: PixelSize, features: Features) {
    self.canvas = canvas
    self.features = features
  }

  var isAnimated: Bool { features.contains(.animation) }

  var orientation: ImageOrientation { exif?.orientation ?? .up }

  /// Whether an orientation may still come.
  var mayTurn: Bool { features.contains(.exif) && exif == nil && !hasEnd }

  var hasAlpha: Bool {
    if features.contains(.alpha) { return true }
    return isAnimated
      ? !frames.map(\.placing).areAlwaysOpaque(on: canvas) : frames.contains { $0.placing.hasAlpha }
  }

  /// The frames, when the picture moves; of a file that ends too early those that are whole.
  var playableFrames: [WebPFrame] {
    guard isAnimated else { return [] }
    let whole = Array(frames.prefix { $0.isWhole })
    return whole.count > 1 ? whole : []
  }

  var imageHeader: ImageHeader {
    let playable = playableFrames
    var result = ImageHeader(
      format: .webp, storedSize: canvas, orientation: orientation, frameCount: max(1, playable.count),
      loopCount: playable.isEmpty ? 0 : plays ?? 0, hasAlpha: hasAlpha, bitDepth: 8)
    result.storedLoopCount = plays
    result.storedDelays = playable.map(\.placing.delay)
    result.iccProfileBytes = profile?.count ?? 0
    result.exifBytes = exif?.bytes.count ?? 0
    return result
  }
}
