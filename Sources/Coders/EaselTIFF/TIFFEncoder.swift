import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture with the given options, and again at smaller sizes if a limit of bytes demands it.
struct TIFFEncoder {
  let options: EncodeOptions
  let work: WorkContext

  func encode(_ stored: Image) throws -> Data {
    try work.checkCancellation()
    // The format cannot state code points.
    let image = try stored.withoutCodePoints(keeps16Bits: true, work: work)
    let size = image.size.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    try work.limits.check(frame: size, claimedBy: "TIFF: the picture to be written")
    guard let limit = options.maxFileBytes else { return try write(image, size) }
    return try FileSizeSearch(limit: limit, name: "TIFF").bySize(from: size) { try write(image, $0) }.data
  }

  private func write(_ image: Image, _ size: PixelSize) throws -> Data {
    try work.checkCancellation()
    var writer = TIFFFileWriter(image.metadata, options)
    guard
      let frames = try CheckedFrames(
        of: image, size: size, name: "TIFF", writesPages: true, options: options, work: work)
    else {
      try writer.add(image.bitmap.resized(to: size, work: work), page: 0, of: 1, work: work)
      return writer.file
    }
    for index in 0..<frames.count {
      try work.checkCancellation()
      try writer.add(frames.frame(at: index).resized(to: size, work: work), page: index, of: frames.count, work: work)
    }
    return writer.file
  }
}
