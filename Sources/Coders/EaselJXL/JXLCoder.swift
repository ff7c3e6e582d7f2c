import EaselCoding
import EaselCore

/// Reads and writes JPEG XL: stills and animations, with alpha, and JPEGs packed without loss.
///
/// The orientation that the codestream states counts as the picture's; that of an EXIF block is ignored, as the format
/// demands.
///
/// Pictures in CMYK are converted with 8 bits by their profile, or without colour management by multiplying each ink with
/// black. Of these no previews and no parts are shown, because libjxl gives their black only at the end.
///
/// ``EaselCore/EncodeOptions/quality`` is the scale of libjxl's own program, on which at 0.9 changes are just visible. To
/// meet ``EaselCore/EncodeOptions/maxFileBytes`` it falls to 0.25, or to the one asked for if that is lower; below it the
/// picture is made smaller. Lossless files keep every pixel of 8 and of 16 bits, including the colours of transparent
/// ones. The effort is a setting of its own: ``EaselCore/EncodeOptions/Setting/jxlEffort``.
public struct JXLCoder: EncodingCoder, ProgressiveImageCoder, MetadataCountingCoder, UnpackingCoder {
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
    return header
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let scan = try JXLScan(bytes, work: work)
    return try JXLImage(scan.header, options: options, work: work).image(of: scan)
  }

  /// Counts the bytes that belong neither to the picture nor to its profile, also those after the end.
  ///
  /// What restores a packed JPEG counts as metadata, because it keeps those of the JPEG. Returns nil for a file that is
  /// damaged or ends too early.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try work.checkCancellation()
    return try (try? JXLScan(bytes, work: work))?.metadataBytes(work: work)
  }

  /// Returns JPEG for a JPEG XL.
  public func packedFormats(in format: ImageFormat) -> [ImageFormat] { format == .jxl ? [.jpeg] : [] }

  /// The JPEG that was packed into a file; nil if there is none, or none that can be restored.
  public func packedFile(in bytes: ImageBytes, as format: ImageFormat, work: WorkContext) throws -> ImageBytes? {
    guard format == .jpeg else { return nil }
    do throws(ImageError) {
      return try jpeg(in: bytes, work: work)
    } catch {
      // A damaged file may still have a picture, which is decoded then.
      guard error.code == .badImageData || error.code == .limitExceeded else { throw error }
      return nil
    }
  }

  /// Keeps the options that have an effect on a JPEG XL.
  ///
  /// These are quality or its absence, first frame, metadata, both limits of the size, and the effort.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    options.effectiveForJXL
  }

  /// Writes the picture, with all frames if it is an animation.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "JXL")
    let storable = try Self.inStorableColors(image, work: work)
    return ImageBytes(try JXLWriter.file(of: storable, JXLEncodeSettings(options), options, work: work))
  }

  /// The picture in colours that libjxl can state.
  private static func inStorableColors(_ stored: Image, work: WorkContext) throws -> Image {
    let image = try stored.withoutGrayProfile(keepsGray: true, work: work)
    guard let coding = image.metadata.storedColors.coding, coding.ofLibjxl == nil else { return image }
    return try image.withoutCodePoints(keeps16Bits: true, work: work)
  }

  /// Makes a decoder that shows the picture coarse first and then finer, as it arrives.
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

  /// Packs a JPEG without loss into a smaller file, from which ``jpeg(in:work:)`` restores it byte for byte.
  ///
  /// The effort is that of ``EaselCore/EncodeOptions/Setting/jxlEffort``.
  public func packed(
    jpeg: ImageBytes, effort: Int = 7, work: WorkContext = WorkContext()
  ) throws(ImageError) -> ImageBytes {
    try JXLPacking(work: work).packed(jpeg, effort: effort)
  }
}
