import EaselCoding
import EaselCore
import EaselPixels

/// The frames of a sequence at the wanted size; each frame covers the canvas.
///
/// The class is unchecked because only one thread at a time uses the reader: first the thread that decodes the picture,
/// and later the frame source, under its lock.
final class HEIFFrames: StoredFrames, @unchecked Sendable {
  let canvasSize: PixelSize
  let canvasFormat: PixelFormat
  private let picture: HEIFImage
  private let movie: HEIFMovie

  init(_ picture: HEIFImage, _ movie: HEIFMovie, like first: Bitmap) {
    self.picture = picture
    self.movie = movie
    canvasSize = first.size
    canvasFormat = first.format
  }

  var count: Int { movie.count }
  var restoresBefore: Bool { false }
  var loopCount: Int { picture.reader.header.loopCount }
  var memoryCost: Int { picture.reader.memoryCost }

  func frame(at index: Int) -> StoredFrame {
    StoredFrame(
      rect: PixelRect(covering: canvasSize), delay: movie.samples.delays[index], disposal: .keep, isBlended: false,
      hasAlpha: picture.reader.header.hasAlpha)
  }

  func draw(_ index: Int, on canvas: inout Bitmap, work: WorkContext) throws(ImageError) {
    canvas = try picture.pixels(ofFrame: index, of: movie, work: work).bitmap
  }
}
