import EaselCoding
import EaselCore

/// A JPEG that is still arriving: its rows are shown, or the scans of a progressive one.
struct ArrivingJPEG: ArrivingPicture {
  typealias Scanner = JPEGScanner
  typealias Reader = (picture: JPEGImage, pixels: JPEGPixelReader)

  let options: DecodeOptions
  let work: WorkContext

  func makeReader(of file: JPEGFile, in bytes: ImageBytes) throws -> Reader {
    let picture = try JPEGImage(file, of: bytes, options: options, limits: work.limits)
    return (picture, try picture.makeReader())
  }

  func advance(_ reader: inout Reader, over bytes: ImageBytes, isWhole: Bool) throws {
    try reader.pixels.advance(over: bytes, isWhole: isWhole, work: work)
  }

  func progress(of reader: Reader, in file: JPEGFile) -> ArrivingProgress {
    ArrivingProgress(rows: reader.pixels.progress, frames: 1)
  }

  func preview(of file: JPEGFile, from reader: Reader, _ bytes: ImageBytes) throws -> Image? {
    guard let bitmap = try reader.pixels.bitmap(of: bytes, work: work) else { return nil }
    return try reader.picture.image(bitmap, isPartial: true, work: work)
  }

  func image(of file: JPEGFile, from reader: Reader, _ bytes: ImageBytes) throws -> Image {
    guard !reader.pixels.mayImproveWhenDecodedWhole else {
      return try JPEGCoder().decode(bytes, options: options, work: work)
    }
    return try reader.picture.image(from: reader.pixels, of: bytes, work: work)
  }
}
