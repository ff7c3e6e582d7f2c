import EaselCoding
import EaselCore

/// A WebP that is still arriving: it shows the rows of the picture or the first frame, and plays the complete frames.
struct ArrivingWebP: ArrivingPicture {
  typealias Scanner = WebPScanner

  let options: DecodeOptions
  let work: WorkContext

  func makeReader(of file: WebPFile, in bytes: ImageBytes) throws -> WebPPixelReader {
    try WebPImage(file, options: options).makeReader(showsParts: true)
  }

  func advance(_ reader: inout WebPPixelReader, over bytes: ImageBytes, isWhole: Bool) throws {
    try reader.advance(over: bytes, isWhole: isWhole, work: work)
  }

  func progress(of reader: WebPPixelReader, in file: WebPFile) -> ArrivingProgress {
    ArrivingProgress(rows: reader.rows, frames: file.playableFrames.count)
  }

  /// EXIF and XMP follow the pixels, and may contain an orientation.
  func mayTurn(_ file: WebPFile) -> Bool {
    let isSized = options.thumbnailSize != nil || options.scaleDownLimitBytes != nil
    return file.mayTurn && (options.appliesOrientation || isSized)
  }

  func preview(of file: WebPFile, from reader: WebPPixelReader, _ bytes: ImageBytes) throws -> Image? {
    try WebPImage(file, options: options).preview(from: reader, of: bytes, work: work)
  }

  func image(of file: WebPFile, from reader: WebPPixelReader, _ bytes: ImageBytes) throws -> Image {
    try WebPImage(file, options: options).image(from: reader, of: bytes, work: work)
  }
}
