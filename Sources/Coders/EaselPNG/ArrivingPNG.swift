import EaselCoding
import EaselCore

/// A PNG that is still arriving: it shows the rows of the still picture, and plays the complete frames.
struct ArrivingPNG: ArrivingPicture {
  typealias Scanner = PNGScanner
  typealias Reader = (picture: PNGImage, pixels: PNGPixelReader)

  let options: DecodeOptions
  let work: WorkContext

  func makeReader(of file: PNGFile, in bytes: ImageBytes) throws -> Reader {
    let picture = try PNGImage(file, of: bytes, options: options, limits: work.limits)
    return (picture, try picture.makeReader())
  }

  func advance(_ reader: inout Reader, over bytes: ImageBytes, isWhole: Bool) throws {
    try reader.pixels.advance(over: bytes, isWhole: isWhole, work: work)
  }

  func progress(of reader: Reader, in file: PNGFile) -> ArrivingProgress {
    ArrivingProgress(rows: reader.pixels.progress, frames: file.playableFrames.count)
  }

  func preview(of file: PNGFile, from reader: Reader, _ bytes: ImageBytes) throws -> Image? {
    try reader.picture.knowing(file).preview(reader.pixels.bitmap, of: bytes, work: work)
  }

  func image(of file: PNGFile, from reader: Reader, _ bytes: ImageBytes) throws -> Image {
    let picture = try PNGImage(file, of: bytes, options: options, limits: work.limits)
    // An orientation after the pixels may require another size than the decoded size.
    guard picture.finish.storedTarget == reader.picture.finish.storedTarget else {
      return try PNGCoder().decode(bytes, options: options, work: work)
    }
    return try picture.image(from: reader.pixels, of: bytes, work: work)
  }
}
