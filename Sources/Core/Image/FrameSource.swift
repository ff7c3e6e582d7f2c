/// The frames of a moving picture, made on demand.
///
/// A frame is a whole canvas: everything that a viewer sees at that moment. If frames are read in order, each costs the
/// work of one frame. A player waits at most 30 seconds for a frame.
///
/// ```swift
/// if let frames = image.frames {
///   for index in 0..<frames.count { print(frames.duration(at: index), try frames.frame(at: index).size) }
/// }
/// ```
public protocol FrameSource: Sendable {
  /// The number of frames, at least one.
  var count: Int { get }
  /// The number of times that all frames are played; 0 means forever.
  var loopCount: Int { get }
  /// The size of every frame; a frame of another size is an error.
  var canvasSize: PixelSize { get }
  /// The bytes that the source itself keeps in memory.
  var memoryCost: Int { get }
  /// The time that the frame at `index` is shown; zero for a page, which players do not leave by themselves.
  func duration(at index: Int) -> Duration
  /// Makes the frame at `index`, and blocks the calling thread until it is done.
  func frame(at index: Int) throws -> Bitmap
  /// Makes the frame at `index` as part of some work, which may be cancelled before the frame is done.
  func frame(at index: Int, work: WorkContext) throws -> Bitmap
}

extension FrameSource {
  /// Makes the frame at `index` unless the work was already cancelled.
  public func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    try work.checkCancellation()
    return try frame(at: index)
  }

  /// The duration of one play of all frames.
  public var totalDuration: Duration {
    (0..<max(0, count)).reduce(.zero) { $0 + duration(at: $1).bounded }
  }

  /// The stated memory cost, limited so that sums cannot overflow.
  package var countableCost: Int { min(max(0, memoryCost), 1 << 50) }
}
