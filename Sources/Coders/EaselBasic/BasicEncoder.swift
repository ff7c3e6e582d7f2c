import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture in a format that has neither frames, metadata nor profiles.
///
/// The pixels are set upright and converted to sRGB, because the file cannot state an orientation or other colours.
struct BasicEncoder {
  /// The name of the format, at the beginning of error messages.
  let name: String
  let options: EncodeOptions
  let work: WorkContext
  /// The most pixels on a side of a file of this format.
  var mostSide = Int(Int32.max)
  /// True if files of the format may have components of 16 bits.
  var keeps16Bits = false

  /// Encodes with `write`, which makes the file of a bitmap; it is called again with smaller bitmaps if the file is too
  /// large.
  func encode(_ image: Image, write: (Bitmap) throws -> Data) throws -> ImageBytes {
    try work.checkCancellation()
    let orientation = image.metadata.orientation
    let upright = orientation.swapsSides ? image.size.transposed : image.size
    let size = upright.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    try work.limits.check(frame: size, claimedBy: "\(name): the picture to be written")
    guard max(size.width, size.height) <= mostSide else {
      throw ImageError(
        .encodeFailed, "\(name): the format allows at most \(mostSide) pixels a side, but the picture is \(size).")
    }
    let bitmap = try image.withoutProfile(keeps16Bits: keeps16Bits, work: work).bitmap.oriented(orientation, work: work)
    func file(_ size: PixelSize) throws -> Data { try write(bitmap.resized(to: size, work: work)) }
    guard let limit = options.maxFileBytes else { return ImageBytes(try file(size)) }
    return ImageBytes(try FileSizeSearch(limit: limit, name: name).bySize(from: size, write: file).data)
  }
}

extension EncodeOptions {
  /// The options that change the files of formats without frames, metadata and loss.
  var basic: EncodeOptions {
    var result = commonToAllFormats
    result.keepsMetadata = false
    return result
  }
}
