import EaselCoding
import EaselCore
import EaselPixels

/// The frames of an animated GIF, read from the blocks of the file.
struct GIFFrames: StoredFrames {
  let canvasFormat: PixelFormat
  let file: GIFFile

  private let showsParts: Bool
  private let bytes: ImageBytes

  /// With `showsParts`, the readable part of a damaged frame is drawn, instead of an error.
  init(_ file: GIFFile, isOpaque: Bool, showsParts: Bool, bytes: ImageBytes) {
    self.file = file
    self.showsParts = showsParts
    self.bytes = bytes
    canvasFormat = isOpaque ? .opaqueRGBA8 : .rgba8
  }

  var count: Int { file.frames.count }
  var restoresBefore: Bool { file.restoresBefore }
  var canvasSize: PixelSize { file.canvas }
  var ground: PixelColor { file.ground }
  var loopCount: Int { file.plays }
  var memoryCost: Int { bytes.memoryCost }

  func frame(at index: Int) -> StoredFrame {
    var frame = file.frames[index].stored(on: file.canvas, background: file.background)
    // The previous canvas shows through where this frame lacks pixels.
    if showsParts { (frame.isBlended, frame.hasAlpha) = (true, true) }
    return frame
  }

  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
    let reader = try GIFPixelReader(file.frames[index], canvas: file.canvas)
    if index == 0 && canvasFormat != .opaqueRGBA8 { canvas.fill(.clear, in: frame(at: 0).rect) }
    try reader.advance(over: bytes, isWhole: true, on: &canvas, work: work)
    if let damage = reader.damage, !showsParts { throw .bad("GIF", "frame \(index): \(damage)") }
  }
}
