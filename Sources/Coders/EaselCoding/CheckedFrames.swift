import EaselCore
import EaselPixels

/// The frames of an animation to be written.
///
/// Any plug-in may have made the source of the frames, so its values are checked.
public struct CheckedFrames: Sendable {
  /// The number of frames, two or more.
  public let count: Int
  /// The number of times the animation is played; 0 is forever.
  public let loopCount: Int

  private let frames: any FrameSource
  private let canvas: PixelSize
  private let work: WorkContext
  /// The name of the format, which begins error messages.
  private let name: String

  /// A duration longer than any format can store, and short enough to be summed.
  private static let longestDuration = Duration.seconds(1_000_000_000)

  /// Takes the frames of an image, nil for a still image; `size` is the size at which they are written.
  ///
  /// Frames without any duration are pages: formats that cannot store pages get only the first one.
  public init?(
    of image: Image, size: PixelSize, name: String, writesPages: Bool = false, options: EncodeOptions,
    work: WorkContext
  ) throws(ImageError) {
    guard let frames = image.frames, !options.firstFrameOnly else { return nil }
    (self.frames, self.name, self.work) = (frames, name, work)
    (count, loopCount, canvas) = (frames.count, frames.loopCount, frames.canvasSize)
    guard count > 0 else { throw Self.failure(name, "claims \(count) frames; it must have at least one") }
    guard count > 1 else { return nil }
    guard loopCount >= 0 else {
      throw Self.failure(name, "claims \(loopCount) plays; it must be 0 (for ever) or more")
    }
    try work.limits.check(frameCount: count, of: size, claimedBy: "\(name): the moving picture to be written")
    let count = count
    guard writesPages || (0..<count).contains(where: { frames.duration(at: $0) != .zero }) else { return nil }
  }

  /// The time a frame is shown.
  public func duration(at index: Int) throws(ImageError) -> Duration {
    let duration = frames.duration(at: index)
    guard duration >= .zero else {
      throw Self.failure(name, "shows frame \(index) for \(duration); the time must not be negative")
    }
    return min(duration, Self.longestDuration)
  }

  /// Makes a frame.
  public func frame(at index: Int) throws -> Bitmap {
    let frame = try frames.frame(at: index, work: work)
    guard frame.size == canvas else {
      throw Self.failure(name, "has a canvas of \(canvas), but its frame \(index) is \(frame.size)")
    }
    return frame
  }

  /// Gives each frame, at the size of the file, to a writer that stores all frames in one format.
  ///
  /// If a later frame needs another format, the function stops there and returns that format. Otherwise it returns nil.
  /// Each frame is shown for a whole number of milliseconds, at least one. Later frames make up for the rounding.
  public func add(
    in format: PixelFormat, at size: PixelSize,
    to writer: (_ frame: Bitmap, _ milliseconds: Int, _ isLast: Bool) throws -> Void
  ) throws -> PixelFormat? {
    var time = Duration.zero
    for index in 0..<count {
      try work.checkCancellation()
      let frame = try frame(at: index)
      let needed = format.stored(with: frame.format)
      guard needed == format else { return needed }
      let end = try time + duration(at: index)
      let milliseconds = [time, end].map { ($0 / .milliseconds(1)).rounded() }
      time = end
      try writer(
        frame.resized(to: size, work: work), Int(max(1, milliseconds[1] - milliseconds[0])), index == count - 1)
    }
    return nil
  }

  private static func failure(_ name: String, _ rule: String) -> ImageError {
    ImageError(.encodeFailed, "\(name): the moving picture \(rule).")
  }
}
