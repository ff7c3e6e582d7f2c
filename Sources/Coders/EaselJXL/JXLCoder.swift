import EaselCoding
import EaselCore

/// Reads and writes JPEG XL: stills and animations, with alpha, and JPEGs packed without loss.
///
/// The orientation in the codestream is the orientation of the picture. The orientation in an EXIF block is ignored, as
/// the format demands.
///
/// Pictures in CMYK are converted with 8 bits by their profile or, without colour management, by multiplying each ink
/// with black. No previews and no parts of these pictures are shown, because libjxl delivers their black only at the
/// end.
///
/// A file looks like a JPEG of the same ``EaselCore/EncodeOptions/quality``. If the setting `qualityScale` of
/// EaselPixels asks for the library's scale, it is that of libjxl's own program, on which changes are just visible at
/// 0.9. To meet ``EaselCore/EncodeOptions/maxFileBytes``, the quality on that scale falls to 0.25, or to the requested
/// quality if this is lower. If that does not suffice, the picture is made smaller. Lossless files keep every pixel of 8 and of 16
/// bits, including the colours of transparent pixels. The effort has its own setting:
/// ``EaselCore/EncodeOptions/Setting/jxlEffort``.
public struct JXLCoder: EncodingCoder, ProgressiveImageCoder, MetadataCountingCoder, RepackingCoder {
  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "jxl" }

  /// Only JPEG XL.
  public var formats: [ImageFormat] { [.jxl] }

  /// Returns true if the prefix is the signature of a codestream or of a container.
  public func canDecode(prefix: [UInt8]) -> Bool { JXLSignature.isPresent(in: prefix) }

  /// Reads everything except the pixels.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let scan = try JXLScan(bytes, work: work)
    var header = scan.header.imageHeader
    if let damage = scan.damage { header.notes.append(Wound(damage).note("JXL")) }
    header.effort = scan.header.effort(byteCount: bytes.count)
    return header
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let scan = try JXLScan(bytes, work: work)
    return try JXLImage(scan.header, options: options, work: work).image(of: scan)
  }

  /// Counts the bytes that belong neither to the picture nor to its profile, including those after the picture.
  ///
  /// Of the data that restore a packed JPEG, as many bytes count as the JPEG has metadata. Returns nil for a file that is
  /// damaged or ends too early.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try work.checkCancellation()
    return try (try? JXLScan(bytes, work: work))?.metadataBytes(work: work)
  }

  /// Returns JPEG for a JPEG XL, and JPEG XL for a JPEG.
  public func repackedFormats(of format: ImageFormat) -> [ImageFormat] {
    format == .jxl ? [.jpeg] : format == .jpeg ? [.jxl] : []
  }

  /// The JPEG that was packed into a JPEG XL, or the JPEG XL that holds a JPEG; nil if it cannot be made.
  ///
  /// A JPEG inside keeps its metadata. A JPEG that is turned by its metadata is packed only with them.
  public func repacked(
    _ file: ImageBytes, as format: ImageFormat, withMetadata: Bool, work: WorkContext
  ) throws -> ImageBytes? {
    let packing = JXLPacking(work: work)
    if format == .jxl {
      return try BareJPEG.isJPEG(file) ? packing.packed(file, withMetadata: withMetadata) : nil
    }
    guard format == .jpeg else { return nil }
    do throws(ImageError) {
      return try packing.jpeg(in: file)
    } catch {
      // A damaged file may still have a picture, which the caller then decodes.
      guard error.code == .badImageData || error.code == .limitExceeded else { throw error }
      return nil
    }
  }

  /// Keeps the options that have an effect on a JPEG XL.
  ///
  /// These are the quality or its absence, the choice of the first frame, the metadata, both size limits, and the
  /// effort.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    options.effectiveForJXL
  }

  /// Writes the picture, with all frames if it is an animation.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "JXL")
    let storable = try Self.inStorableColors(image, work: work)
    return try ScoredEncoding(self, work: work).bytes(of: storable, options) {
      ImageBytes(try JXLWriter.file(of: $0, JXLEncodeSettings($1), $1, work: work))
    }
  }

  /// The picture in colours that libjxl can state.
  private static func inStorableColors(_ stored: Image, work: WorkContext) throws -> Image {
    let image = try stored.withoutGrayProfile(keepsGray: true, work: work)
    guard let coding = image.metadata.storedColors.coding, coding.ofLibjxl == nil else { return image }
    return try image.withoutCodePoints(keeps16Bits: true, work: work)
  }

  /// Makes a decoder that shows the picture while it arrives, first coarse and then finer.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    canDecode(prefix: prefix) ? try JXLProgressiveDecoder(options: options, work: work) : nil
  }

  /// The JPEG that was packed into a file, byte for byte; nil if there is none.
  ///
  /// The size of the JPEG is limited by ``EaselCore/Limits/downloadBytes``.
  public func jpeg(in bytes: ImageBytes, work: WorkContext = WorkContext()) throws(ImageError) -> ImageBytes? {
    try JXLPacking(work: work).jpeg(in: bytes)
  }

  /// Packs a JPEG without loss into a smaller file; ``jpeg(in:work:)`` restores the JPEG byte for byte.
  ///
  /// ``EaselCore/EncodeOptions/Setting/jxlEffort`` describes the effort.
  public func packed(
    jpeg: ImageBytes, effort: Int = 7, work: WorkContext = WorkContext()
  ) throws(ImageError) -> ImageBytes {
    try JXLPacking(work: work).packed(jpeg, effort: effort)
  }
}
