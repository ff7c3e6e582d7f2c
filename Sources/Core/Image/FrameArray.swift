/// A frame source over bitmaps in memory, such as frames that a program has drawn.
///
/// ```swift
/// let frames = try FrameArray([bitmap, bitmap], each: .milliseconds(100))
/// let moving = Image(bitmap, frames: frames)
/// ```
public struct FrameArray: FrameSource {
  private let frames: [Bitmap]
  private let durations: [Duration]
  /// The number of times that all frames are played; 0 means forever.
  public let loopCount: Int

  /// Creates a source of frames of one size, each with the time that it is shown.
  public init(_ frames: [Bitmap], durations: [Duration], loopCount: Int = 0) throws(ImageError) {
    guard let first = frames.first else { throw Self.failure("there must be at least one frame") }
    guard durations.count == frames.count else {
      throw Self.failure("there are \(frames.count) frames but \(durations.count) durations")
    }
    if let index = frames.firstIndex(where: { $0.size != first.size }) {
      throw Self.failure(
        "all frames must have the same size; the first is \(first.size), frame \(index) \(frames[index].size)")
    }
    if let index = durations.firstIndex(where: { $0 < .zero }) {
      throw Self.failure("frame \(index) cannot be shown for \(durations[index])")
    }
    guard loopCount >= 0 else { throw Self.failure("it cannot be played \(loopCount) times; 0 is forever") }
    self.frames = frames
    self.durations = durations
    self.loopCount = loopCount
  }

  /// Creates a source of frames of one size that are all shown for the same time.
  public init(_ frames: [Bitmap], each duration: Duration, loopCount: Int = 0) throws(ImageError) {
    try self.init(frames, durations: Array(repeating: duration, count: frames.count), loopCount: loopCount)
  }

  /// The number of frames.
  public var count: Int { frames.count }
  /// The size of every frame.
  public var canvasSize: PixelSize { frames[0].size }
  /// The bytes of all frames.
  public var memoryCost: Int { frames.reduce(0) { $0 + $1.memoryCost } }

  /// The time that the frame at `index` is shown; zero when it does not exist.
  public func duration(at index: Int) -> Duration { durations.indices.contains(index) ? durations[index] : .zero }

  /// The frame at `index`.
  public func frame(at index: Int) throws -> Bitmap {
    guard frames.indices.contains(index) else {
      throw ImageError(.badImageData, "There is no frame \(index): the picture has \(count), counted from 0.")
    }
    return frames[index]
  }

  private static func failure(_ rule: String) -> ImageError {
    ImageError(.badImageData, "These frames make no moving picture: \(rule).")
  }
}

extension FrameSource where Self == FrameArray {
  /// A source of frames in memory of one size, each with the time that it is shown.
  public static func frames(
    _ frames: [Bitmap], durations: [Duration], loopCount: Int = 0
  ) throws(ImageError) -> FrameArray {
    try FrameArray(frames, durations: durations, loopCount: loopCount)
  }

  /// A source of frames in memory of one size that are all shown for the same time.
  public static func frames(
    _ frames: [Bitmap], each duration: Duration, loopCount: Int = 0
  ) throws(ImageError) -> FrameArray {
    try FrameArray(frames, each: duration, loopCount: loopCount)
  }
}
