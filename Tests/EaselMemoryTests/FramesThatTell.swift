import EaselCore

/// Frames that run a closure when the last reference ends, as a user's own may.
final class FramesThatTell: FrameSource {
  private let tell: @Sendable () -> Void
  let count = 1
  let loopCount = 0
  let canvasSize = PixelSize(width: 1, height: 1)
  let memoryCost = 0

  init(_ tell: @escaping @Sendable () -> Void) { self.tell = tell }
  deinit { tell() }

  func duration(at index: Int) -> Duration { .seconds(1) }
  func frame(at index: Int) throws -> Bitmap { try Bitmap(size: canvasSize, format: .rgba8) }
}
