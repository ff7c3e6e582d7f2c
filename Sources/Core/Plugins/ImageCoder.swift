/// Turns the bytes of some formats into pictures and back.
///
/// Its calls block: they run on worker threads, no longer than `Limits.decodeTime`.
public protocol ImageCoder: Sendable {
  /// The name of the coder in cache keys, unlike that of any other.
  var identifier: String { get }

  /// The formats that it decodes.
  var formats: [ImageFormat] { get }

  /// Whether a file that starts like this is one of its own; it looks for the full signature.
  func canDecode(prefix: [UInt8]) -> Bool

  /// Reads the header and nothing more.
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader

  /// Makes the picture; `unsupportedFormat` says that another coder may try.
  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image

  /// Whether it writes this format.
  func canEncode(_ format: ImageFormat) -> Bool

  /// Writes the picture.
  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes
}

extension ImageCoder {
  /// How many bytes ``canDecode(prefix:)`` is shown.
  public static var sniffLength: Int { 64 }

  /// It writes nothing.
  public func canEncode(_ format: ImageFormat) -> Bool { false }

  /// Fails, since the coder writes nothing.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    throw ImageError(.encodeFailed, "The coder \(identifier) does not write \(format).")
  }
}
