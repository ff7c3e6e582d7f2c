import EaselCore

/// Reads and writes WebP: lossy, lossless, with alpha, moving or not.
///
/// Frames are composed as libwebp's own player does it: on a transparent canvas, whatever background the file names.
/// Without loss every pixel is kept, also the colours of transparent ones; ``EaselCore/EncodeOptions/compressionLevel``
/// then says how hard is tried, and ``EaselCore/EncodeOptions/quality`` nothing. With loss, and under
/// ``EaselCore/EncodeOptions/maxFileBytes``, a quality of 0.25 is the lowest before the picture is made smaller, unless a
/// lower one was asked for.
public struct WebPCoder: ProgressiveImageCoder {
  /// Creates the coder.
  public init() {}

  /// The name in cache keys.
  public var identifier: String { "webp" }

  /// WebP alone.
  public var formats: [ImageFormat] { [.webp] }

  /// Whether the names of the container and of the format are both there.
  public func canDecode(prefix: [UInt8]) -> Bool { WebPScanner.isSignature(prefix) }

  /// Reads everything but the pixels, over which it only steps.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try scan(bytes, work: work).imageHeader
  }

  /// Makes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let picture = WebPPicture(try scan(bytes, work: work), options: options)
    // Nothing is read in vain of a file that is known to be damaged.
    if let damage = picture.file.damage, !options.allowsPartial { throw ImageError.badWebP("\(damage).") }
    let reader = try picture.makeReader(showsParts: false)
    try reader.advance(over: bytes, isWhole: true, work: work)
    return try picture.image(from: reader, of: bytes, work: work)
  }

  /// Whether it is WebP.
  public func canEncode(_ format: ImageFormat) -> Bool { format == .webp }

  /// Writes the picture, moving when it moves; no side may be longer than 16,383 pixels.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard canEncode(format) else {
      throw ImageError(.encodeFailed, "WebP: the coder does not write \(format).")
    }
    return ImageBytes(try WebPEncoder(options: options, work: work).encode(image))
  }

  /// Makes a decoder that shows rows, and whole frames, as they come.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    canDecode(prefix: prefix) ? WebPProgressiveDecoder(options: options, work: work) : nil
  }

  private func scan(_ bytes: ImageBytes, work: WorkContext) throws -> WebPFile {
    var scanner = WebPScanner(limits: work.limits)
    try scanner.advance(over: bytes, isWhole: true, work: work)
    guard let file = scanner.file, file.first != nil else {
      throw ImageError.badWebP("there are no pixels in the \(bytes.count) bytes of the file.")
    }
    return file
  }
}
