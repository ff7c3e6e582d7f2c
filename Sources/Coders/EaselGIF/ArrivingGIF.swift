import EaselCoding
import EaselCore

/// A GIF that is still arriving: the first frame appears row by row, each later frame as soon as it is complete.
struct ArrivingGIF: ArrivingPicture {
  typealias Scanner = GIFScanner
  typealias Reader = (canvas: Bitmap, pixels: GIFPixelReader)

  let options: DecodeOptions
  let work: WorkContext

  func makeReader(of file: GIFFile, in bytes: ImageBytes) throws -> Reader {
    (try GIFImage.canvas(of: file), try GIFPixelReader(file.first!, canvas: file.canvas))
  }

  func advance(_ reader: inout Reader, over bytes: ImageBytes, isWhole: Bool) throws {
    guard !reader.pixels.isOver else { return }
    try reader.pixels.advance(over: bytes, isWhole: isWhole, on: &reader.canvas, work: work)
  }

  func progress(of reader: Reader, in file: GIFFile) -> ArrivingProgress {
    ArrivingProgress(rows: reader.pixels.rows, frames: file.frames.count)
  }

  func preview(of file: GIFFile, from reader: Reader, _ bytes: ImageBytes) throws -> Image? {
    try GIFImage(file, options: options).preview(of: reader.canvas, from: reader.pixels, bytes, work: work)
  }

  func image(of file: GIFFile, from reader: Reader, _ bytes: ImageBytes) throws -> Image {
    try GIFImage(file, options: options).image(of: reader.canvas, from: reader.pixels, bytes, work: work)
  }
}
