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
  /// The frames that are there from the first to the last byte; of a picture that does not move just one.
  private(set) var frames = FrameRow<WebPFrame>()
  /// The frame whose pixels have begun.
  private(set) var current: WebPFrame?
  private var summary = FrameSummary()
  var profile: Data?
  var exif: EXIF?
  var xmp: XMP?
  /// What is wrong with the file after its pixels have begun.
  var damage: String?
  /// Whether everything up to the end was seen.
  var hasEnd = false

  init(canvas: PixelSize, features: Features) {
    self.canvas = canvas
    self.features = features
  }

  var isAnimated: Bool { features.contains(.animation) }

  var orientation: ImageOrientation { exif?.orientation ?? xmp?.orientation ?? .up }

  /// Begins with the pixels of the next frame.
  mutating func begin(_ frame: WebPFrame) {
    var frame = frame
    frame.startsAfresh = startsAfresh(frame.placing)
    current = frame
  }

  /// Ends the frame that was begun, of which all bytes have been seen.
  mutating func endFrame() {
    guard let frame = current else { return }
    summary.add(frame.placing, on: canvas)
    frames.append(frame)
    current = nil
  }

  /// Whether there is nothing below a frame, so that it is taken as it is and nothing is mixed.
  private func startsAfresh(_ frame: StoredFrame) -> Bool {
    guard let before = frames.last, !frame.hidesAll(of: canvas) else { return true }
    return before.placing.disposal != .keep && (before.placing.rect.size == canvas || before.startsAfresh)
  }

  /// The frame that is shown first, whole or not.
  var first: WebPFrame? { frames.first ?? current }

  /// Whether EXIF or XMP, which come after the pixels, may still bring an orientation.
  var mayTurn: Bool {
    guard !hasEnd else { return false }
    return exif?.orientation == nil
      && (features.contains(.exif) && exif == nil || features.contains(.xmp) && xmp == nil)
  }

  /// Whether something that may turn the picture is announced.
  var announcesOrientation: Bool { !features.isDisjoint(with: [.exif, .xmp]) }

  var hasAlpha: Bool {
    if features.contains(.alpha) { return true }
    guard isAnimated else { return first?.placing.hasAlpha ?? false }
    var summary = summary
    if let current { summary.add(current.placing, on: canvas) }
    return !summary.areOpaque
  }

  var restoresBefore: Bool { summary.restoresBefore }

  /// The frames, when the picture moves; of a file that ends too early those that are whole.
  var playableFrames: FrameRow<WebPFrame> { isAnimated && frames.count > 1 ? frames : FrameRow() }

  /// The header without the delays of the frames, which take time to list and which no picture needs.
  var pictureHeader: ImageHeader {
    let playable = playableFrames
    var result = ImageHeader(
      format: .webp, storedSize: canvas, orientation: orientation, frameCount: max(1, playable.count),
      loopCount: playable.isEmpty ? 0 : plays ?? 0, hasAlpha: hasAlpha, bitDepth: 8)
    result.storedLoopCount = plays
    result.iccProfileBytes = profile?.count ?? 0
    result.exifBytes = exif?.bytes.count ?? 0
    return result
  }

  var imageHeader: ImageHeader {
    var result = pictureHeader
    result.storedDelays = playableFrames.all.map(\.placing.delay)
    return result
  }
}
