import EaselCoding
import EaselCore
import EaselPixels

/// The frames of a moving PNG, as chunks hold them.
struct PNGFrames: StoredFrames {
  let frames: [StoredFrame]
  let canvasFormat: PixelFormat

  private let file: PNGFile
  private let places: [PNGChunk]
  private let isWide: Bool
  private let bytes: ImageBytes

  init(_ file: PNGFile, isWide: Bool, bytes: ImageBytes) {
    self.file = file
    self.isWide = isWide
    self.bytes = bytes
    frames = file.storedFrames
    places = file.playableFrames.compactMap(\.data)
    canvasFormat = PixelFormat(isWide ? .rgba16 : .rgba8, alpha: file.hasAlpha ? .straight : .opaque)
  }

  var canvasSize: PixelSize { file.header.size }
  var loopCount: Int { file.animation?.plays ?? 0 }
  var memoryCost: Int { bytes.memoryCost }

  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
    let frame = frames[index]
    let reader = try PNGPixelReader(
      file, from: places[index], size: frame.rect.size, target: frame.rect.size, isWide: isWide)
    try reader.advance(over: bytes, isWhole: true, work: work)
    if let damage = reader.damage { throw .badPNG("frame \(index): \(damage).") }
    canvas.lay(reader.bitmap, x: frame.rect.x, y: frame.rect.y, isBlended: frame.isBlended && frame.hasAlpha)
  }
}
