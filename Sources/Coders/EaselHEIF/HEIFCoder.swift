import EaselCoding
import EaselCore

/// Reads HEIC: pictures and sequences of HEIF that are coded as HEVC, of 8 to 12 bits, with alpha.
///
/// A picture may be coded whole, in a grid, or laid together from other pictures in an overlay. An overlay inside another
/// is refused.
///
/// The crops, turns and mirrors that a file states are applied in its order. Turns and mirrors count as the picture's
/// orientation; that of its EXIF block is ignored, as the format demands. A smaller copy in the file is used where it
/// is large enough for the thumbnail that is wanted, and shows the same in the same colours; nothing is made larger.
/// Gain maps, depth maps, and pictures besides the first are left out.
///
/// A sequence is played if the first brand of its file is one of sequences, such as `msf1` or `hevc`, or if the file
/// has nothing else. Of other files, such as live photos, and of those whose still picture has another size than the
/// sequence, the still picture is read. HEIC is not written.
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

  /// Counts the bytes that belong neither to pictures nor to their profiles, also those after the end.
  ///
  /// Other pictures in the file, such as thumbnails and gain maps, count as pictures. Returns nil for a file that is
  /// damaged or ends too early.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try work.checkCancellation()
    return (try? HEIFReader(bytes, work: work))?.file.metadataBytes
  }
}
