import EaselCoding
import EaselCore
import EaselPixels

/// The frames of an animated PNG, read from the chunks of the file.
struct PNGFrames: StoredFrames {
  let canvasFormat: PixelFormat
  let frames: ArrivingFrames<PNGFrame>

  private let file: PNGFile
  private let isWide: Bool
  private let showsParts: Bool
  private let bytes: ImageBytes

  /// With `showsParts`, the readable part of a damaged frame is drawn, instead of an error.
  init(_ file: PNGFile, isWide: Bool, showsParts: Bool, bytes: ImageBytes) {
    self.file = file
    self.isWide = isWide
    self.showsParts = showsParts
    self.bytes = bytes
    frames = file.playableFrames
    let hasAlpha = file.hasAlpha || showsParts && file.wound != nil
    canvasFormat = PixelFormat(isWide ? .rgba16 : .rgba8, alpha: hasAlpha ? .straight : .opaque)
  }

  var count: Int { frames.count }
  var restoresBefore: Bool { file.restoresBefore }
  var canvasSize: PixelSize { file.header.size }
  var loopCount: Int { file.animation?.plays ?? 0 }
  var memoryCost: Int { bytes.memoryCost }

  func frame(at index: Int) -> StoredFrame {
    var stored = frames[index].stored
    stored.hasAlpha = file.pixelsHaveAlpha
    // The previous canvas shows through where this frame lacks pixels.
    if showsParts { (stored.isBlended, stored.hasAlpha) = (true, true) }
    return stored
  }

  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
    let stored = frames[index].stored
    let reader = try read(index, work: work)
    let lacksPixels = reader.wound?.sparesPixels == false
    if let wound = reader.wound, lacksPixels, !showsParts { throw .bad("PNG", "frame \(index): \(wound.text)") }
    let isBlended = stored.isBlended && file.pixelsHaveAlpha || lacksPixels
    canvas.lay(reader.bitmap, x: stored.rect.x, y: stored.rect.y, isBlended: isBlended)
  }

  private func read(_ index: Int, work: WorkContext) throws(ImageError) -> PNGPixelReader {
    let size = frames[index].stored.rect.size
    guard let place = frames[index].data else { throw .bad("PNG", "frame \(index) has no pixels") }
    let reader = try PNGPixelReader(file, from: place, size: size, target: size, isWide: isWide)
    try reader.advance(over: bytes, isWhole: true, work: work)
    return reader
  }

  /// True if the last frame has all of its pixels.
  ///
  /// In a file that is cut off, the chunks do not tell.
  func isLastWhole(work: WorkContext) throws(ImageError) -> Bool {
    try read(count - 1, work: work).wound?.sparesPixels != false
  }
}
