import EaselCore

/// A frame source that writes the index of each frame into its first byte, counts the frames, and can be stopped.
public final class FakeFrameSource: FrameSource {
  private struct State {
    var made: [Int] = []
    var failing: Set<Int> = []
  }

  /// The duration of each frame.
  public let durations: [Duration]
  /// The number of times the animation is played.
  public let loopCount: Int
  /// The size of every frame.
  public let canvasSize: PixelSize
  /// The gate of each frame; open unless a test closes it.
  public let gate = Gate(isOpen: true)
  private let state = Watched(State())

  /// Creates a source with one frame for each duration.
  public init(durations: [Duration], loopCount: Int = 0, canvasSize: PixelSize = PixelSize(width: 2, height: 2)) {
    self.durations = durations
    self.loopCount = loopCount
    self.canvasSize = canvasSize
  }

  /// The indices of the frames that were made, in order.
  public var made: [Int] { state.withLock { $0.made } }

  /// Makes the frame at an index fail.
  public func fail(at index: Int) { state.withLock { _ = $0.failing.insert(index) } }

  /// Suspends until this many frames were made.
  public func waitForFrames(count: Int) async { await state.wait { $0.made.count >= count } }

  /// The number of frames.
  public var count: Int { durations.count }

  /// Zero, because no frame is kept.
  public var memoryCost: Int { 0 }

  /// The duration of a frame.
  public func duration(at index: Int) -> Duration { durations[index] }

  /// Makes a frame.
  public func frame(at index: Int) throws -> Bitmap {
    gate.pass()
    guard durations.indices.contains(index), state.withLock({ !$0.failing.contains(index) }) else {
      throw ImageError(.badImageData, "The fake frame source has no frame \(index).")
    }
    var bitmap = try Bitmap(size: canvasSize, format: .opaqueRGBA8)
    bitmap.withUnsafeMutableBytes { bytes in
      for alpha in stride(from: 3, to: bytes.count, by: 4) { bytes[alpha] = 255 }
      bytes[0] = UInt8(truncatingIfNeeded: index)
    }
    state.withLock { $0.made.append(index) }
    return bitmap
  }

  /// The index in a frame of this source.
  public static func index(of frame: Bitmap) -> Int { frame.withUnsafeBytes { Int($0[0]) } }
}
