/// Decodes and encodes pictures of certain formats.
///
/// Calls may block: they run on worker threads, no longer than `Limits.decodeTime`.
///
/// ```swift
/// struct FlagCoder: ImageCoder {
///   let identifier = "flag"
///   let formats = [ImageFormat(mimeType: "image/x-flag")]
///   func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: Array("FLAG".utf8)) }
///   func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
///     ImageHeader(format: formats[0], storedSize: PixelSize(width: 8, height: 8))
///   }
///   func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
///     Image(try Bitmap(size: PixelSize(width: 8, height: 8), format: .opaqueRGBA8), format: formats[0])
///   }
/// }
/// ```
public protocol ImageCoder: Sendable {
  /// The name of the coder in cache keys; it must be unique.
  var identifier: String { get }

  /// The formats that the coder decodes.
  var formats: [ImageFormat] { get }

  /// The extensions of files in one of the coder's formats, without the dot and in lower case; the usual one is first.
  func fileExtensions(of format: ImageFormat) -> [String]

  /// True when pictures of this format are drawings, which the coder can make larger than the file says without a loss.
  func drawsLarger(_ format: ImageFormat) -> Bool

  /// True when the coder recognizes the full signature of its format at the start of a file.
  func canDecode(prefix: [UInt8]) -> Bool

  /// Reads only the header.
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader

  /// Reads the size as stored, before the orientation is applied, and as little else as possible.
  ///
  /// It is the size in the header of ``probe(_:work:)``. A file may state its orientation and frames behind its pixels,
  /// so a probe has to step over all of them; the size is at the beginning. The rest may be damaged or missing.
  func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize

  /// Decodes the picture.
  ///
  /// The error `unsupportedFormat` lets another coder try.
  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image

  /// True when the coder can encode this format.
  func canEncode(_ format: ImageFormat) -> Bool

  /// The number of bytes in a file that belong neither to its picture nor to its colour profile.
  ///
  /// These are EXIF, texts, comments and whatever follows the end. The number is nil when the coder cannot tell. Only
  /// bytes without any go out untouched when metadata are to be removed.
  func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int?

  /// The formats of which a whole file may be stored in a file of this format, as JPEG may be in JPEG XL.
  func packedFormats(in format: ImageFormat) -> [ImageFormat]

  /// The whole file of another format that is stored in a file; nil when there is none.
  ///
  /// Both show the same picture. Bytes that are asked for in the other format then go out untouched.
  func packedFile(in bytes: ImageBytes, as format: ImageFormat, work: WorkContext) throws -> ImageBytes?

  /// True when files of this format can hold the frames of a moving picture.
  func writesFrames(as format: ImageFormat) -> Bool

  /// The options with every option that does not change the files of this format at one fixed value.
  ///
  /// Cache keys of encoded bytes are made of them, so that options without effect do not lead to a second file. A format
  /// in which the background colour has no effect is one that holds transparent pixels.
  func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions

  /// Encodes a picture.
  func encode(_ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext) throws -> ImageBytes
}

extension ImageCoder {
  /// The number of bytes that ``canDecode(prefix:)`` is given, of a file that has as many.
  public static var sniffLength: Int { 256 }

  /// The number of bytes by which almost every format is known, so that work can begin while the rest arrives.
  package static var shortSniffLength: Int { 64 }

  /// Returns the part of the MIME type after the slash, such as `webp`.
  public func fileExtensions(of format: ImageFormat) -> [String] {
    let name = format.mimeType.split(separator: "/").last?.prefix { $0 != "+" } ?? ""
    return name.isEmpty ? [] : [String(name)]
  }

  /// Returns false, for pictures that consist of pixels.
  public func drawsLarger(_ format: ImageFormat) -> Bool { false }

  /// Returns the size in the header.
  public func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    try probe(bytes, work: work).storedSize
  }

  /// Returns false, for a coder that only decodes.
  public func canEncode(_ format: ImageFormat) -> Bool { false }

  /// Returns nil, for a coder that cannot tell.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? { nil }

  /// Returns no formats.
  public func packedFormats(in format: ImageFormat) -> [ImageFormat] { [] }

  /// Returns nil.
  public func packedFile(in bytes: ImageBytes, as format: ImageFormat, work: WorkContext) throws -> ImageBytes? { nil }

  /// Returns true.
  public func writesFrames(as format: ImageFormat) -> Bool { true }

  /// Returns the options as they are.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions { options }

  /// Throws `encodeFailed`, because the coder only decodes.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    throw ImageError(.encodeFailed, "The coder \(identifier) does not write \(format).")
  }
}

/// A coder that can decode a body while it arrives.
public protocol ProgressiveImageCoder: ImageCoder {
  /// Makes a decoder for one body; returns nil when this body can only be decoded as a whole.
  func makeDecoder(prefix: [UInt8], options: DecodeOptions, work: WorkContext) throws -> (any ProgressiveDecoder)?
}

/// Decodes one body while it arrives.
///
/// Its calls never overlap, but they may come from any thread.
public protocol ProgressiveDecoder: Sendable {
  /// Takes all bytes that have arrived so far.
  ///
  /// They begin with the bytes of the previous call.
  func update(_ bytes: ImageBytes) throws

  /// The picture as far as it is decoded; nil when there is nothing to show yet or nothing new.
  func preview() throws -> Image?

  /// Decodes the whole picture.
  ///
  /// Every pixel must equal the result of decoding the whole body at once.
  func finish(_ bytes: ImageBytes) throws -> Image
}
