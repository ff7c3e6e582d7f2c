import Easel
import EaselCoding

// Documentation: writing a coder that writes.
struct WritingFlagCoder: EncodingCoder, MetadataCountingCoder {
  private let reader = FlagCoder()

  var identifier: String { "org.example.writing-flag" }
  var formats: [ImageFormat] { reader.formats }
  func canDecode(prefix: [UInt8]) -> Bool { reader.canDecode(prefix: prefix) }

  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader { try reader.probe(bytes, work: work) }

  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try reader.decode(bytes, options: options, work: work)
  }

  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes {
    guard canEncode(format) else { throw ImageError(.encodeFailed, "Flag: the coder does not write \(format).") }
    try work.checkCancellation()
    // A flag holds no colour profile.
    let colors = try image.withoutProfile(work: work).bitmap
    let upright = try colors.oriented(image.metadata.orientation, work: work)
    let size = options.maxPixelSize.map { upright.size.thumbnail(in: $0) } ?? upright.size
    guard size.width <= 255, size.height <= 255 else {
      throw ImageError(.encodeFailed, "Flag: a flag has at most 255x255 pixels, but the picture \(size).")
    }
    // One 8-bit pixel without alpha: the mean of all pixels.
    let mean = try upright.flattened(over: options.backgroundColor, work: work)
      .converted(to: .opaqueRGBA8, work: work).resized(
        to: PixelSize(width: 1, height: 1), filter: .bilinear, work: work)
    let color = mean.withUnsafeBytes { Array($0.prefix(3)) }
    let file = Array("FLAG".utf8) + [UInt8(size.width), UInt8(size.height)] + color
    if let limit = options.maxFileBytes, file.count > limit {
      throw ImageError(.encodeFailed, "Flag: a flag takes \(file.count) bytes, over the limit of \(limit).")
    }
    return ImageBytes(file)
  }

  func writesFrames(as format: ImageFormat) -> Bool { false }

  func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    // A flag has neither a quality nor metadata, so that both stay at their defaults.
    EncodeOptions(
      maxPixelSize: options.maxPixelSize, maxFileBytes: options.maxFileBytes, backgroundColor: options.backgroundColor)
  }

  func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    // A flag has nine bytes, and all others may hold anything.
    guard bytes.count >= 9, canDecode(prefix: try bytes.prefix(9)) else { return nil }
    return bytes.count - 9
  }
}
