import EaselCoding
import EaselCore

/// The frames of a sequence in the wanted size; each covers the canvas.
struct AVIFFrames: StoredFrames {
  let reader: AVIFReader
  let canvasFormat: PixelFormat
  private let finish: ImageFinish

  init(reader: AVIFReader, finish: ImageFinish, format: PixelFormat) {
    self.reader = reader
    self.finish = finish
    canvasFormat = format
  }

  var canvasSize: PixelSize { finish.storedTarget }
  var count: Int { reader.header.frameCount }
  var restoresBefore: Bool { false }
  var loopCount: Int { reader.header.loopCount }
  var memoryCost: Int { reader.memoryCost }

  func frame(at index: Int) -> StoredFrame {
    StoredFrame(
      rect: PixelRect(covering: canvasSize), delay: reader.header.delays[index], disposal: .keep, isBlended: false,
      hasAlpha: reader.header.hasAlpha)
  }

  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
    try reader.decode(index)
    try AVIFRows(reader: reader, format: canvasFormat, finish: finish, work: work).draw(on: &canvas)
  }
}
