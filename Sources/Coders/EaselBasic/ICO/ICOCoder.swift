import EaselCoding
import EaselCore
import EaselPNG
import FoundationEssentials

/// Reads icons and cursors of Windows (ICO, CUR), and writes icons.
///
/// The picture is the largest one of the file, and the deepest one among equals. If a smaller picture is wanted, it is
/// made of the smallest one that suffices. Pixels are transparent by their alpha or, if they have none, by the mask. A
/// written icon has one picture of at most 256 pixels a side, which is a PNG.
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

  /// Reads the directory and the headers of all pictures; the size is that of the largest one.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let directory = try ICODirectory(bytes, work: work)
    var header = directory.imageHeader
    if let damage = directory.damage { header.notes.append(Wound(damage).note("ICO")) }
    return header
  }

  /// Decodes the picture that suits what is wanted.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try work.checkCancellation()
    return try ICOImage(ICODirectory(bytes, work: work), of: bytes, options: options, work: work).decode()
  }

  /// Counts the bytes that belong to none of the pictures, and those of metadata in PNGs.
  ///
  /// Returns nil for a file that is damaged or whose pictures overlap.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    guard let directory = try? ICODirectory(bytes, work: work) else { return nil }
    return try ICOMetadataCounter(directory: directory, bytes: bytes, work: work).count()
  }

  /// Returns false: no picture of an icon moves.
  public func writesFrames(as format: ImageFormat) -> Bool { false }

  /// Keeps both limits of the size, and level and palette of the PNG.
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

  /// The directory before a PNG; a side of 256 pixels is written as zero.
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
