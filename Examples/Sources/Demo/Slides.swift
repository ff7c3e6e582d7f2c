import Easel

/// Frames that are shown for half a second each.
struct Slides: FrameSource {
  let frames: [Bitmap]

  var count: Int { frames.count }
  var loopCount: Int { 0 }
  var canvasSize: PixelSize { frames[0].size }
  var memoryCost: Int { frames.reduce(0) { $0 + $1.memoryCost } }
  func duration(at index: Int) -> Duration { .milliseconds(500) }
  func frame(at index: Int) -> Bitmap { frames[index] }
}
