import EaselCoding
import EaselCore

/// Reads and writes AVIF: stills, grids and sequences of 8, 10 and 12 bits, with alpha.
///
/// A picture that consists of more than 1,024 cells is refused, because each cell needs its own decoder. The crop that
/// a file states is always applied. The turns and mirrors that a file states count as the picture's orientation; the
/// orientation in its EXIF block is ignored, as the format demands.
///
/// A file looks like a JPEG of the same ``EaselCore/EncodeOptions/quality``, unless the setting `qualityScale` of
/// EaselPixels asks for AVIF's own scale. To meet ``EaselCore/EncodeOptions/maxFileBytes``, the quality on that scale
/// falls to 0.25, or to the requested one if that is lower; after that, the picture is made smaller. Lossless files keep all pixels of 8 bits; of 16 bits they keep 12. Speed, depth
/// and the quality of alpha are separate settings: ``EaselCore/EncodeOptions/Setting/avifSpeed``,
/// ``EaselCore/EncodeOptions/Setting/avifDepth`` and ``EaselCore/EncodeOptions/Setting/avifAlphaQuality``.
public struct AVIFCoder: EncodingCoder, MetadataCountingCoder, FileNamingCoder {
  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "avif" }

  /// Only AVIF.
  public var formats: [ImageFormat] { [.avif] }

  /// The extensions of AVIF files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// Returns true if the prefix is a file type box that names AVIF before it names HEIC.
  public func canDecode(prefix: [UInt8]) -> Bool { MediaCoding(prefix: prefix) == .av1 }

  /// Reads everything except the pixels.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let reader = try AVIFReader(bytes, work: work)
    var header = reader.header.imageHeader
    if let wound = reader.file.wound { header.notes.append(wound.note("AVIF")) }
    header.effort = reader.effort
    return header
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try AVIFImage(AVIFReader(bytes, work: work), options: options, work: work).image()
  }

  /// Counts the bytes that belong neither to pictures nor to their profiles, including those after the end.
  ///
  /// Other pictures in the file, such as thumbnails and gain maps, count as pictures. Returns nil for a file that is
  /// damaged or ends too early.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try work.checkCancellation()
    return (try? AVIFReader(bytes, work: work))?.file.metadataBytes
  }

  /// Keeps only the options that have an effect on an AVIF.
  ///
  /// These are quality and resolution of colour (unless there is no loss), first frame, metadata, both limits of the
  /// size, and the coder's own settings.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    options.effectiveForAVIF
  }

  /// Writes the picture, with all frames if it is an animation.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "AVIF")
    let image = try image.withoutGrayProfile(keepsGray: true, work: work)
    return try ScoredEncoding(self, work: work).bytes(of: image, options) {
      ImageBytes(try AVIFWriter.file(of: $0, AVIFEncodeSettings($1), $1, work: work))
    }
  }
}
