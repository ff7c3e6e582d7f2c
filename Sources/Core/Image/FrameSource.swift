/// The frames of a moving picture, made when they are asked for.
///
/// Frames are whole canvases: what a viewer sees at that moment. Asking in order costs one frame of work each. A player
/// waits 30 seconds for a frame and no longer.
public protocol FrameSource: Sendable {
  /// The number of frames, at least one.
  var count: Int { get }
  /// How often the whole is played; 0 is forever.
  var loopCount: Int { get }
  /// The size of every frame; one of another size is an error.
  var canvasSize: PixelSize { get }
  /// The bytes that the source itself keeps in memory.
  var memoryCost: Int { get }
  /// How long the frame at `index` is shown.
  func duration(at index: Int) -> Duration
  /// Makes the frame at `index`; it blocks the calling thread while it works.
  func frame(at index: Int) throws -> Bitmap
  /// Makes the frame at `index` as part of some work, which may be given up meanwhile.
  func frame(at index: Int, work: WorkContext) throws -> Bitmap
}

extension FrameSource {
  /// Makes the frame at `index` unless the work was given up before.
  public func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    try work.checkCancellation()
    return try frame(at: index)
  }

  /// How long one play of all frames takes.
  public var totalDuration: Duration {
    (0..<max(0, count)).reduce(.zero) { $0 + duration(at: $1).bounded }
  }

  /// The bytes that the source says it keeps, as a number that can be added to others.
  var countableCost: Int { min(max(0, memoryCost), 1 << 50) }
}
