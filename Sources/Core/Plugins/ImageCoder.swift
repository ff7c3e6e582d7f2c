/// Decodes pictures of certain formats.
///
/// These five requirements are enough for reading. For other abilities a coder also adopts another protocol:
/// ``EncodingCoder``, ``ProgressiveImageCoder``, ``MetadataCountingCoder``, ``RepackingCoder``, ``DrawingCoder``,
/// ``SizeReadingCoder``, ``FileNamingCoder`` and ``SandboxGuest``.
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

  /// True when the coder recognizes the full signature of its format at the start of a file.
  func canDecode(prefix: [UInt8]) -> Bool

  /// Reads only the header.
  func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader

  /// Decodes the picture.
  ///
  /// The error `unsupportedFormat` lets another coder try.
  func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image
}

extension ImageCoder {
  /// The number of bytes that ``canDecode(prefix:)`` gets, unless the file is shorter.
  public static var sniffLength: Int { 256 }

  /// The number of bytes that identify almost every format, so that work can begin while the rest arrives.
  package static var shortSniffLength: Int { 64 }
}
