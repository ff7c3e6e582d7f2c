import EaselCore

/// Reads and writes JPEG: baseline, progressive and arithmetic, grey, colour and four inks.
///
/// Colours are converted from an embedded ICC profile; without one they are taken for sRGB, and four inks, inverted as
/// everybody writes them, are mixed plainly. A picture of four inks never keeps its profile, since its pixels are red,
/// green and blue. 12 bits and the lossless process are left to other coders, and of XMP only the part that one segment
/// holds is read. Under ``EaselCore/EncodeOptions/maxFileBytes`` a quality of 0.25 is the lowest before the picture is
/// made smaller, unless a lower one was asked for.
public struct JPEGCoder: ProgressiveImageCoder {
  /// Creates the coder.
  public init() {}

  /// The name in cache keys.
  public var identifier: String { "jpeg" }

  /// JPEG alone.
  public var formats: [ImageFormat] { [.jpeg] }

  /// Whether the first marker and the beginning of the second are there.
  public func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: JPEGScanner.signature) }

  /// Reads what stands before the pixels.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let file = try scan(bytes, work: work)
    return file.imageHeader(profileBytes: try file.readProfile(of: bytes)?.count ?? 0)
  }

  /// Makes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let picture = try JPEGPicture(scan(bytes, work: work), of: bytes, options: options, limits: work.limits)
    let reader = try picture.makeReader()
    try reader.advance(over: bytes, isWhole: true, work: work)
    return try picture.image(from: reader, work: work)
  }

  /// Whether it is JPEG.
  public func canEncode(_ format: ImageFormat) -> Bool { format == .jpeg }

  /// Writes the picture, of one that moves its still picture.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard canEncode(format) else {
      throw ImageError(.encodeFailed, "JPEG: the coder does not write \(format).")
    }
    return ImageBytes(try JPEGEncoder(image, options: options, work: work).encode())
  }

  private func scan(_ bytes: ImageBytes, work: WorkContext) throws -> JPEGFile {
    var scanner = JPEGScanner(limits: work.limits)
    try scanner.advance(over: bytes, isWhole: true, work: work)
    guard let file = scanner.file, scanner.hasReachedPixels else {
      throw ImageError.badJPEG("there are no pixels in the \(bytes.count) bytes of the file.")
    }
    return file
  }

  /// Makes a decoder that shows rows, and scans of a progressive picture, as they come.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    canDecode(prefix: prefix) ? JPEGProgressiveDecoder(coder: self, options: options, work: work) : nil
  }
}
