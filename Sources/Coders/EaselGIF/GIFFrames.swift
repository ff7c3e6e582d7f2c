import EaselCoding
import EaselCore
import EaselPixels

/// The frames of a moving GIF, as blocks hold them.
struct GIFFrames: StoredFrames {
  let frames: [StoredFrame]
  let canvasFormat: PixelFormat

  private let file: GIFFile
  private let places: [GIFFrame]
  private let allowsPartial: Bool
  private let bytes: ImageBytes

  /// With `allowsPartial`, a frame that is damaged is drawn as far as it goes instead of being an error.
  init(_ file: GIFFile, isOpaque: Bool, allowsPartial: Bool, bytes: ImageBytes) {
    self.file = file
    self.allowsPartial = allowsPartial
    self.bytes = bytes
    frames = file.storedFrames.map { frame in
      var frame = frame
      // Beside what is missing of it, what was there before is seen.
      if allowsPartial { (frame.isBlended, frame.hasAlpha) = (true, true) }
      return frame
    }
    places = file.wholeFrames
    canvasFormat = isOpaque ? .opaqueRGBA8 : .rgba8
  }

  var canvasSize: PixelSize { file.canvas }
  var ground: PixelColor { file.ground }
  var loopCount: Int { file.plays }
  var memoryCost: Int { bytes.memoryCost }

  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
    let reader = try GIFPixelReader(places[index], canvas: file.canvas)
    if index == 0 && canvasFormat != .opaqueRGBA8 { canvas.fill(.clear, in: frames[0].rect) }
    try reader.advance(over: bytes, isWhole: true, on: &canvas, work: work)
    if let damage = reader.damage, !allowsPartial { throw .badGIF("frame \(index): \(damage).") }
  }
}
