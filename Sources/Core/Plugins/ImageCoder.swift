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

/// A coder that can work while the bytes arrive.
public protocol ProgressiveImageCoder: ImageCoder {
  /// Makes a decoder for one body, or nil when this body can only be decoded whole.
  func makeDecoder(prefix: [UInt8], options: DecodeOptions, work: WorkContext) throws -> (any ProgressiveDecoder)?
}

/// Decodes one body while it arrives; its calls come one after another, from any thread.
public protocol ProgressiveDecoder: Sendable {
  /// Takes the body so far, of which all but what came since the last call was seen before.
  func update(_ bytes: ImageBytes) throws

  /// The picture as far as it is known, nil before there is something to see or nothing new since the last.
  func preview() throws -> Image?

  /// The whole picture, equal in every pixel to what the coder makes of the whole body at once.
  func finish(_ bytes: ImageBytes) throws -> Image
}
