import EaselCore

/// A frame source whose frames say their index in their first byte, counted, and stopped where a test wants.
public final class FakeFrameSource: FrameSource {
  private struct State {
    var made: [Int] = []
    var failing: Set<Int> = []
  }

  /// How long each frame is shown.
  public let durations: [Duration]
  /// How often the whole is played.
  public let loopCount: Int
  /// The size of every frame.
  public let canvasSize: PixelSize
  /// Where each frame waits, open unless a test closes it.
  public let gate = Gate(isOpen: true)
  private let state = Watched(State())

  /// Creates a source of as many frames as there are durations.
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

  /// Nothing, since no frame is kept.
  public var memoryCost: Int { 0 }

  /// How long a frame is shown.
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

  /// The index that a frame of this source says.
  public static func index(of frame: Bitmap) -> Int { frame.withUnsafeBytes { Int($0[0]) } }
}
