import EaselCore

/// Reads and writes GIF, moving or not.
///
/// What no frame covers is transparent when the first frame has a transparent colour, and colour 0 of its table when it
/// has none; a frame that asks to be cleared leaves nothing, or the background when it has no transparent colour.
///
/// Frames are written exactly when they have at most 256 colours, a transparent one included. Others get the colours
/// that fit them best. A pixel that is less than half opaque becomes transparent, any other is laid over
/// ``EaselCore/EncodeOptions/backgroundColor``.
public struct GIFCoder: ProgressiveImageCoder {
  /// Whether the error of a colour that a frame could not get is carried on to the pixels around.
  public var diffusesError: Bool

  /// Creates the coder.
  public init(diffusesError: Bool = true) { self.diffusesError = diffusesError }

  /// The name in cache keys.
  public var identifier: String { "gif" }

  /// GIF alone.
  public var formats: [ImageFormat] { [.gif] }

  /// Whether the six bytes of one of the two signatures are there.
  public func canDecode(prefix: [UInt8]) -> Bool { GIFScanner.signatures.contains { prefix.starts(with: $0) } }

  /// Reads everything but the pixels, over which it only steps.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try scan(bytes, work: work).imageHeader
  }

  /// Makes the picture; of a moving one only the first frame, the others when they are asked for.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try GIFPicture(scan(bytes, work: work), options: options).decode(bytes, work: work)
  }

  /// Whether it is GIF.
  public func canEncode(_ format: ImageFormat) -> Bool { format == .gif }

  /// Writes the picture with all frames that it has.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard canEncode(format) else {
      throw ImageError(.encodeFailed, "GIF: the coder does not write \(format).")
    }
    return ImageBytes(try GIFEncoder(options: options, diffusesError: diffusesError, work: work).encode(image))
  }

  private func scan(_ bytes: ImageBytes, work: WorkContext) throws -> GIFFile {
    var scanner = GIFScanner(limits: work.limits)
    try scanner.advance(over: bytes, isWhole: true, work: work)
    guard let file = scanner.file, file.first != nil else {
      throw ImageError.badGIF("there is no frame in the \(bytes.count) bytes of the file.")
    }
    return file
  }

  /// Makes a decoder that shows the rows of the first frame, and then the other frames, as they come.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    canDecode(prefix: prefix) ? GIFProgressiveDecoder(options: options, work: work) : nil
  }
}
