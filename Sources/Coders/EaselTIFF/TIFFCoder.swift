import EaselCoding
import EaselCore

/// Reads and writes TIFF, also with offsets of 64 bits: strips and tiles of 1 to 64 bits per sample.
///
/// Samples become 8 bits, or 16 if the options keep them. Fractional samples are shown from 0 to 1, or over the range
/// that the file states. Signed bytes are shown as if they were unsigned. The pages are frames without duration, as
/// large as the first page. A thumbnail is made from a smaller version of the picture if the file has one. The coder
/// refuses camera raws that look like TIFF, and names them in the error.
///
/// Files are written without loss. The compression and the predictor have their own settings:
/// ``EaselCore/EncodeOptions/Setting/tiffCompression`` and ``EaselCore/EncodeOptions/Setting/tiffPredictor``.
public struct TIFFCoder: EncodingCoder, MetadataCountingCoder, FileNamingCoder {
  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "tiff" }

  /// Only TIFF.
  public var formats: [ImageFormat] { [.tiff] }

  /// The extensions of TIFF files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// Returns true if the prefix begins with a byte order and the number of TIFF, or of a similar camera raw.
  public func canDecode(prefix: [UInt8]) -> Bool {
    TIFFSignature.order(of: prefix) != nil || TIFFSignature.raw(of: prefix) != nil
  }

  /// Reads everything except the pixels.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let reader = try TIFFReader(bytes, work: work)
    try reader.select(reader.file.pages[0])
    return try TIFFHeader(reader.file.pages[0], of: reader, limits: work.limits)
      .imageHeader(frameCount: reader.file.pages.count)
  }

  /// Decodes the first page; all pages are its frames.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let reader = try TIFFReader(bytes, region: options.region, work: work)
    let picture = try TIFFImage(reader, page: 0, options: options, work: work)
    let count = options.firstFrameOnly || options.region != nil ? 1 : reader.file.pages.count
    var image = try picture.image(frames: count, work: work)
    try work.limits.check(frameCount: count, of: image.size, claimedBy: "TIFF: the file")
    if count > 1 { image.frames = TIFFPages(picture, size: image.size, options: options, work: work) }
    return image
  }

  /// Counts the bytes that belong neither to pictures nor to their profiles.
  ///
  /// The density counts as metadata. Returns nil for a file that is damaged or ends too early.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try work.checkCancellation()
    guard let file = try? TIFFFile(bytes, limits: work.limits), file.wound == nil else { return nil }
    var counter = TIFFMetadataCounter(file, work: work)
    return try counter.count()
  }

  /// Keeps the options that have an effect on a TIFF.
  ///
  /// These are the level of deflate, the choice of the first frame, the metadata, both size limits, and the coder's own
  /// settings.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    options.effectiveForTIFF
  }

  /// Writes the picture without loss; the frames of an animation become pages.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "TIFF")
    return ImageBytes(try TIFFEncoder(options: options, work: work).encode(image))
  }
}
