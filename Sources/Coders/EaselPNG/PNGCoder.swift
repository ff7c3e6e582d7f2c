import EaselCore

/// Reads and writes PNG, moving or not.
///
/// Colours are converted from an embedded ICC profile only; what gAMA, cHRM and sRGB say is taken for sRGB. The bitmap
/// of a moving picture is its still picture, which some files leave out of their frames.
public struct PNGCoder: ProgressiveImageCoder {
  /// Creates the coder.
  public init() {}

  /// The name in cache keys.
  public var identifier: String { "png" }

  /// PNG alone.
  public var formats: [ImageFormat] { [.png] }

  /// Whether the eight bytes of the signature are there.
  public func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: PNGScanner.signature) }

  /// Reads everything but the pixels, over which it only steps.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let file = try scan(bytes, work: work)
    return file.imageHeader(profileBytes: try file.readProfile(of: bytes, limits: work.limits)?.count ?? 0)
  }

  /// Makes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let file = try scan(bytes, work: work)
    return try PNGPicture(file, of: bytes, options: options, limits: work.limits).decode(bytes, work: work)
  }

  /// Whether it is PNG.
  public func canEncode(_ format: ImageFormat) -> Bool { format == .png }

  /// Writes the picture, as APNG when it moves; no pixel changes.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard canEncode(format) else {
      throw ImageError(.encodeFailed, "PNG: the coder does not write \(format).")
    }
    return ImageBytes(try PNGEncoder(options: options, work: work).encode(image))
  }

  private func scan(_ bytes: ImageBytes, work: WorkContext) throws -> PNGFile {
    var scanner = PNGScanner(limits: work.limits)
    try scanner.advance(over: bytes, isWhole: true, work: work)
    guard let file = scanner.file, file.data != nil else {
      throw ImageError.badPNG("there are no pixels in the \(bytes.count) bytes of the file.")
    }
    return file
  }

  /// Makes a decoder that shows rows, and passes of an interlaced picture, as they come.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    canDecode(prefix: prefix) ? PNGProgressiveDecoder(coder: self, options: options, work: work) : nil
  }
}
