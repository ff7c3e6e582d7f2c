import CEaselWebP
import EaselCoding
import EaselCore
import EaselPixels

/// The frames of an animated WebP, read from the chunks of the file.
///
/// Translucent pixels are blended exactly as in libwebp's own player, to the last bit.
struct WebPFrames: StoredFrames {
  let canvasSize: PixelSize
  let canvasFormat: PixelFormat
  let loopCount: Int
  let restoresBefore: Bool
  let stored: ArrivingFrames<WebPFrame>

  private let bytes: ImageBytes

  init(_ file: WebPFile, bytes: ImageBytes) {
    stored = file.playableFrames
    canvasSize = file.canvas
    canvasFormat = file.canvasFormat
    loopCount = file.plays ?? 0
    restoresBefore = file.restoresBefore
    self.bytes = bytes
  }

  var count: Int { stored.count }
  var memoryCost: Int { bytes.memoryCost }

  func frame(at index: Int) -> StoredFrame { stored[index].placing }

  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
    let frame = stored[index]
    let isMixed = frame.placing.isBlended && frame.placing.hasAlpha && !frame.startsAfresh
    do throws(ImageError) {
      guard isMixed else { return try read(frame, onto: &canvas, at: frame.placing.rect, work: work) }
      var pixels = try Bitmap(unfilled: frame.size, format: .rgba8)
      try read(frame, onto: &pixels, at: PixelRect(covering: pixels.size), work: work)
      lay(pixels, of: index, on: &canvas)
    } catch {
      guard error.code == .badImageData else { throw error }
      throw ImageError(.badImageData, "WebP: frame \(index): \(error.message)")
    }
  }

  private func read(
    _ frame: WebPFrame, onto target: inout Bitmap, at rect: PixelRect, work: WorkContext
  ) throws(ImageError) {
    let feeder = try WebPFeeder(frame, size: frame.size, hasAlpha: frame.placing.hasAlpha, isGradual: false)
    let bytesPerRow = target.bytesPerRow
    try target.withUnsafeMutableBytes { (pixels: UnsafeMutableRawBufferPointer) throws(ImageError) in
      try feeder.advance(
        over: bytes, isWhole: true, bytesPerRow: bytesPerRow, work: work
      ) { pixels.baseAddress! + rect.y * bytesPerRow + rect.x * 4 }
    }
    if let damage = feeder.damage { throw ImageError(.badImageData, "\(damage).") }
  }

  /// Blends a frame over the canvas, but copies it where the previous frame was cleared, because blending would round.
  private func lay(_ pixels: Bitmap, of index: Int, on canvas: inout Bitmap) {
    let rect = stored[index].placing.rect
    let before = stored[index - 1].placing
    let hole = before.disposal == .keep ? PixelRect(x: 0, y: 0, width: 0, height: 0) : before.rect.intersection(rect)
    let bytesPerRow = canvas.bytesPerRow
    let parts = hole.isEmpty ? [rect] : rect.parts(around: hole)
    canvas.withUnsafeMutableBytes { target in
      pixels.withUnsafeBytes { source in
        for part in parts where !part.isEmpty {
          let place = (part.y - rect.y) * pixels.bytesPerRow + (part.x - rect.x) * 4
          easel_webp_blend(
            source.baseAddress! + place, pixels.bytesPerRow,
            target.baseAddress! + part.y * bytesPerRow + part.x * 4, bytesPerRow, part.width, part.height)
        }
        for row in hole.y..<hole.y + hole.height {
          let place = (row - rect.y) * pixels.bytesPerRow + (hole.x - rect.x) * 4
          (target.baseAddress! + row * bytesPerRow + hole.x * 4).copyMemory(
            from: source.baseAddress! + place, byteCount: hole.width * 4)
        }
      }
    }
  }
}

extension PixelRect {
  /// The four parts of the rectangle around a hole.
  fileprivate func parts(around hole: PixelRect) -> [PixelRect] {
    let (right, below) = (hole.x + hole.width, hole.y + hole.height)
    return [
      PixelRect(x: x, y: y, width: width, height: hole.y - y),
      PixelRect(x: x, y: hole.y, width: hole.x - x, height: hole.height),
      PixelRect(x: right, y: hole.y, width: x + width - right, height: hole.height),
      PixelRect(x: x, y: below, width: width, height: y + height - below),
    ]
  }
}
