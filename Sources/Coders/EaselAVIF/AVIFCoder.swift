import EaselCoding
import EaselCore

/// Reads and writes AVIF: stills, grids and sequences of 8, 10 and 12 bits, with alpha.
///
/// The crop that a file states is always applied. The turns and mirrors that it states count as the picture's
/// orientation; that of its EXIF block is ignored, as the format demands.
public struct AVIFCoder: ImageCoder {
  /// Creates the coder.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "avif" }

  /// Only AVIF.
  public var formats: [ImageFormat] { [.avif] }

  /// Returns true if the prefix is a file type box with the brand of AVIF pictures or sequences.
  public func canDecode(prefix: [UInt8]) -> Bool { AVIFSignature.isPresent(in: prefix) }

  /// Reads everything except the pixels.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try open(bytes, work: work).header.imageHeader
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try AVIFPicture(open(bytes, work: work), options: options, work: work).image()
  }

  private func open(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) -> AVIFReader {
    try work.checkCancellation()
    let reader = try AVIFReader(bytes, work: work)
    try reader.header.check(work.limits)
    return reader
  }
}
