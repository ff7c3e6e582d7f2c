import EaselCoding
import EaselCore

/// Reads HEIC: pictures and sequences of HEIF that are coded as HEVC, of 8 to 12 bits, with alpha.
///
/// A picture may be coded as a whole, as a grid, or as an overlay that combines other pictures. The coder refuses an
/// overlay inside another.
///
/// The crops, turns and mirrors that a file states are applied in the order of the file. Turns and mirrors count as the
/// picture's orientation. The orientation in the EXIF block is ignored, as the format demands. For a thumbnail, the
/// coder uses a smaller copy in the file if this copy is large enough and shows the same picture in the same colours.
/// It never enlarges a picture. Gain maps, depth maps, and pictures besides the first are left out.
///
/// The coder plays a sequence if the first brand of the file is a brand of sequences, such as `msf1` or `hevc`, or if
/// the file has nothing else. In other files, such as live photos, it reads the still picture. It also does so if the
/// still picture and the sequence differ in size. HEIC is not written.
public struct HEIFCoder: MetadataCountingCoder, FileNamingCoder {
  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "heif" }

  /// Only HEIC.
  public var formats: [ImageFormat] { [.heic] }

  /// The extensions of HEIF files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// Returns true if the prefix is a file type box that names HEIC, or HEVC in HEIF, before it names AVIF.
  public func canDecode(prefix: [UInt8]) -> Bool { MediaCoding(prefix: prefix) == .hevc }

  /// Reads everything except the pixels.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let reader = try HEIFReader(bytes, work: work)
    var header = reader.header.imageHeader
    if let wound = reader.file.wound { header.notes.append(wound.note("HEIF")) }
    return header
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try HEIFImage(HEIFReader(bytes, work: work), options: options, work: work).image()
  }

  /// Counts the bytes that belong neither to pictures nor to their profiles, including those after the last box.
  ///
  /// Thumbnails, gain maps and all other pictures in the file count as pictures. The result is nil for a file that is
  /// damaged or ends too early.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try work.checkCancellation()
    return (try? HEIFReader(bytes, work: work))?.file.metadataBytes
  }
}
