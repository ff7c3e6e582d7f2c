import CEaselColorFixtures
import EaselCore
import FoundationEssentials

/// Writes a picture and gives the file as an array.
func written(
  _ image: Image, by coder: some EncodingCoder, _ options: EncodeOptions = EncodeOptions()
) throws -> [UInt8] {
  let bytes = try coder.encode(image, as: coder.formats[0], options: options, work: WorkContext())
  return try bytes.withUnsafeBytes(Array.init)
}

/// Reads a file from an array.
func read(
  _ file: [UInt8], by coder: some ImageCoder, _ options: DecodeOptions = DecodeOptions(), limits: Limits = Limits()
) throws -> Image {
  try coder.decode(ImageBytes(file), options: options, work: WorkContext(limits: limits))
}

/// The error of reading a file; nil when it can be read.
func failure(
  _ file: [UInt8], by coder: some ImageCoder, _ options: DecodeOptions = DecodeOptions(), limits: Limits = Limits()
) -> ImageError? {
  do {
    _ = try read(file, by: coder, options, limits: limits)
    return nil
  } catch {
    return error as? ImageError
  }
}

/// The colours of all pixels, row by row.
func colors(_ image: Image) -> [PixelColor] {
  image.bitmap.pixels(in: PixelRect(x: 0, y: 0, width: image.size.width, height: image.size.height))
}

/// A profile of linear light, so that every middle value becomes lighter in sRGB.
func linearProfile(isGray: Bool) -> Data {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let primaries = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06]
  let count = easel_make_icc_profile(isGray ? nil : primaries, 1, &bytes, bytes.count)
  return Data(bytes.prefix(count))
}
