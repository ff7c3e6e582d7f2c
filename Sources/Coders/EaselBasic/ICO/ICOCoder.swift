import EaselCoding
import EaselCore
import EaselPNG
import FoundationEssentials

/// Reads icons and cursors of Windows (ICO, CUR), and writes icons.
///
/// The coder shows the largest picture of the file, and among equally large ones the deepest. For a smaller target it
/// uses the smallest picture that is large enough. Transparency comes from the alpha or, without alpha, from the mask.
/// The coder writes icons with one picture of at most 256 pixels a side, which is a PNG.
public struct ICOCoder: EncodingCoder, MetadataCountingCoder, FileNamingCoder {
  private static let name = "ICO"

  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "ico" }

  /// ``EaselCore/ImageFormat/ico``, which also stands for cursors.
  public var formats: [ImageFormat] { [.ico] }

  /// The extensions of icon and cursor files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// Returns true if the prefix begins a directory whose first entry is possible.
  public func canDecode(prefix: [UInt8]) -> Bool { ICODirectory.begins(prefix) }

  /// Reads the directory and the headers of all pictures, and returns the size of the largest picture.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let directory = try ICODirectory(bytes, work: work)
    var header = directory.imageHeader
    if let damage = directory.damage { header.notes.append(Wound(damage).note("ICO")) }
    return header
  }

  /// Decodes the picture that fits the size that the options ask for.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try work.checkCancellation()
    return try ICOImage(ICODirectory(bytes, work: work), of: bytes, options: options, work: work).decode()
  }

  /// Counts the bytes that belong to none of the pictures, and the bytes of metadata in PNGs.
  ///
  /// Returns nil for a file that is damaged or whose pictures overlap.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    guard let directory = try? ICODirectory(bytes, work: work) else { return nil }
    return try ICOMetadataCounter(directory: directory, bytes: bytes, work: work).count()
  }

  /// Returns false, because an icon cannot hold an animation.
  public func writesFrames(as format: ImageFormat) -> Bool { false }

  /// Keeps both size limits, and the compression level and the palette for the PNG.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    var result = options.basic
    result.compressionLevel = options.sensibleLevel
    result.allowsPalette = options.allowsPalette
    return result
  }

  /// Writes an icon of one picture, without loss.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "ICO")
    let inner = EncodeOptions(compressionLevel: options.sensibleLevel, allowsPalette: options.allowsPalette)
    return try BasicEncoder(name: Self.name, options: options, work: work, mostSide: 256).encode(image) { bitmap in
      let png = try PNGCoder().encode(Image(bitmap), as: .png, options: inner, work: work).data()
      return Self.start(of: bitmap.size, count: png.count) + png
    }
  }

  /// The directory before a PNG, in which zero stands for a side of 256 pixels.
  private static func start(of size: PixelSize, count: Int) -> Data {
    var start: [UInt8] = []
    for value in [0, 1, 1] { start.appendLittle16(value) }
    start += [UInt8(truncatingIfNeeded: size.width), UInt8(truncatingIfNeeded: size.height), 0, 0]
    for value in [1, 32] { start.appendLittle16(value) }
    start.appendLittle32(count)
    start.appendLittle32(ICODirectory.headerBytes + ICODirectory.entryBytes)
    return Data(start)
  }
}
