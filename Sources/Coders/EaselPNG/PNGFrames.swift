import EaselCoding
import EaselCore
import EaselPixels

/// The frames of an animated PNG as stored in its chunks.
struct PNGFrames: StoredFrames {
  let canvasFormat: PixelFormat
  let frames: FrameRow<PNGFrame>

  private let file: PNGFile
  private let isWide: Bool
  private let bytes: ImageBytes

  init(_ file: PNGFile, isWide: Bool, bytes: ImageBytes) {
    self.file = file
    self.isWide = isWide
    self.bytes = bytes
    frames = file.playableFrames
    canvasFormat = PixelFormat(isWide ? .rgba16 : .rgba8, alpha: file.hasAlpha ? .straight : .opaque)
  }

  var count: Int { frames.count }
  var restoresBefore: Bool { file.restoresBefore }
  var canvasSize: PixelSize { file.header.size }
  var loopCount: Int { file.animation?.plays ?? 0 }
  var memoryCost: Int { bytes.memoryCost }

  func frame(at index: Int) -> StoredFrame {
    var stored = frames[index].stored
    stored.hasAlpha = file.pixelsHaveAlpha
    return stored
  }

  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
    let frame = frame(at: index)
    guard let place = frames[index].data else { throw .badPNG("frame \(index) has no pixels.") }
    let reader = try PNGPixelReader(
      file, from: place, size: frame.rect.size, target: frame.rect.size, isWide: isWide)
    try reader.advance(over: bytes, isWhole: true, work: work)
    if let damage = reader.damage { throw .badPNG("frame \(index): \(damage).") }
    canvas.lay(reader.bitmap, x: frame.rect.x, y: frame.rect.y, isBlended: frame.isBlended && frame.hasAlpha)
  }
}
