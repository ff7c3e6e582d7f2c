import EaselCore

/// Frames that are there already.
struct Frames: FrameSource {
  var bitmaps: [Bitmap]
  var durations: [Duration]
  var loopCount = 0

  var count: Int { bitmaps.count }
  var canvasSize: PixelSize { bitmaps[0].size }
  var memoryCost: Int { bitmaps.reduce(0) { $0 + $1.memoryCost } }
  func duration(at index: Int) -> Duration { durations[index] }
  func frame(at index: Int) -> Bitmap { bitmaps[index] }

  var image: Image { Image(bitmaps[0], frames: self) }
}
