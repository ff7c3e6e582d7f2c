import EaselCore

/// Frames that are already decoded.
package struct Frames: FrameSource {
  package var bitmaps: [Bitmap]
  package var durations: [Duration]
  package var loopCount: Int

  package init(bitmaps: [Bitmap], durations: [Duration], loopCount: Int = 0) {
    self.bitmaps = bitmaps
    self.durations = durations
    self.loopCount = loopCount
  }

  package var count: Int { bitmaps.count }
  package var canvasSize: PixelSize { bitmaps[0].size }
  package var memoryCost: Int { bitmaps.reduce(0) { $0 + $1.memoryCost } }
  package func duration(at index: Int) -> Duration { durations[index] }
  package func frame(at index: Int) -> Bitmap { bitmaps[index] }

  /// A moving picture of these frames.
  package var image: Image { Image(bitmaps[0], frames: self) }
}

/// A source that claims to have no frames, or fewer.
package struct NoFrames: FrameSource {
  package let count: Int
  package let loopCount = 0
  package let canvasSize = PixelSize(width: 4, height: 4)
  package let memoryCost = 0

  package init(count: Int = 0) { self.count = count }

  package func duration(at index: Int) -> Duration { .zero }
  package func frame(at index: Int) throws -> Bitmap { try Bitmap(size: canvasSize, format: .rgba8) }
}
