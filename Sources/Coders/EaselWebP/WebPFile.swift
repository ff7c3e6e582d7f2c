import EaselCoding
import EaselCore

/// The description of a file, without its pixels.
struct WebPFile: ScannedFile, Sendable {
  /// The features that VP8X announces.
  struct Features: OptionSet, Hashable {
    let rawValue: UInt8

    static let animation = Features(rawValue: 0x02)
    static let xmp = Features(rawValue: 0x04)
    static let exif = Features(rawValue: 0x08)
    static let alpha = Features(rawValue: 0x10)
    static let profile = Features(rawValue: 0x20)
  }

  static let formatName = "WebP"

  let canvas: PixelSize
  let features: Features
  /// The stored number of plays, nil until it is read.
  var plays: Int?
  /// The complete frames; a still picture has only one.
  private(set) var frames = ArrivingFrames<WebPFrame>()
  /// The frame whose pixels have begun.
  private(set) var current: WebPFrame?
  private var summary = FrameSummary()
  var metadata = StoredMetadata()
  /// The damage in the chunks after the start of the pixels; the pixels are spared if no frame is missing.
  var wound: Wound?
  /// True once the scanner has seen the end of the file.
  var hasEnd = false

  init(canvas: PixelSize, features: Features) {
    self.canvas = canvas
    self.features = features
  }

  var isAnimated: Bool { features.contains(.animation) }

  /// Begins the next frame.
  mutating func begin(_ frame: WebPFrame) {
    var frame = frame
    frame.startsAfresh = startsAfresh(frame.placing)
    current = frame
  }

  /// Ends the current frame, whose bytes have all been seen.
  mutating func endFrame() {
    guard let frame = current else { return }
    summary.add(frame.placing, on: canvas)
    frames.append(frame)
    current = nil
  }

  /// True if nothing is visible below the frame, so that it needs no blending.
  private func startsAfresh(_ frame: StoredFrame) -> Bool {
    guard let before = frames.last, !frame.hidesAll(of: canvas) else { return true }
    return before.placing.disposal != .keep && (before.placing.rect.size == canvas || before.startsAfresh)
  }

  /// The frame that is shown first, complete or not.
  var first: WebPFrame? { frames.first ?? current }

  var storedSize: PixelSize { canvas }
  var hasPixels: Bool { first != nil }

  /// True if EXIF or XMP, which follow the pixels, may still bring an orientation.
  var mayTurn: Bool {
    guard !hasEnd else { return false }
    return metadata.exif?.orientation == nil
      && (features.contains(.exif) && metadata.exif == nil || features.contains(.xmp) && metadata.xmp == nil)
  }

  /// True if the file announces metadata that may contain an orientation.
  var announcesOrientation: Bool { !features.isDisjoint(with: [.exif, .xmp]) }

  var hasAlpha: Bool {
    if features.contains(.alpha) { return true }
    guard isAnimated else { return first?.placing.hasAlpha ?? false }
    var summary = summary
    if let current { summary.add(current.placing, on: canvas) }
    return !summary.areOpaque
  }

  var restoresBefore: Bool { summary.restoresBefore }

  /// The frames of an animation; if the file ends too early, the complete frames.
  var playableFrames: ArrivingFrames<WebPFrame> { isAnimated && frames.count > 1 ? frames : ArrivingFrames() }

  /// The header without the delays of the frames: listing the delays takes time, and decoding does not need them.
  var pictureHeader: ImageHeader {
    let playable = playableFrames
    var result = ImageHeader(
      format: .webp, storedSize: canvas, orientation: metadata.orientation, frameCount: max(1, playable.count),
      loopCount: playable.isEmpty ? 0 : plays ?? 0, hasAlpha: hasAlpha, bitDepth: 8)
    result.storedLoopCount = plays
    result.state(metadata)
    return result
  }

  var imageHeader: ImageHeader {
    var result = pictureHeader
    result.storedDelays = playableFrames.all.map(\.placing.delay)
    if let wound { result.notes.append(wound.note("WebP")) }
    return result
  }
}
