import EaselCoding
import EaselCore

/// Reads and writes GIF, still or animated.
///
/// A part of the canvas that no frame covers is transparent if the first frame has a transparent colour. Otherwise this
/// part has colour 0 of that frame's table. A frame that asks to be cleared leaves transparent pixels, or the
/// background colour if the frame has no transparent colour.
///
/// Frames with at most 256 colours, counting transparency as one colour, are written without loss. Other frames get the
/// palette that fits them best. Pixels less than half opaque become transparent. Other translucent pixels are blended
/// over ``EaselCore/EncodeOptions/backgroundColor``.
public struct GIFCoder: EncodingCoder, ProgressiveImageCoder, MetadataCountingCoder, SizeReadingCoder {
  /// True to spread the error of a colour that the palette lacks to neighbouring pixels (dithering).
  public var diffusesError: Bool

  /// Creates a coder; diffusion hides bands and makes files larger.
  public init(diffusesError: Bool = true) { self.diffusesError = diffusesError }

  /// The coder's name in cache keys.
  public var identifier: String { "gif" }

  /// Only GIF.
  public var formats: [ImageFormat] { [.gif] }

  /// Returns true if the prefix starts with one of the two GIF signatures.
  public func canDecode(prefix: [UInt8]) -> Bool { GIFScanner.signatures.contains { prefix.starts(with: $0) } }

  /// Reads everything except the pixels, which are skipped.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try GIFScanner.file(in: bytes, work: work).imageHeader
  }

  /// Reads the size of the canvas and stops there.
  public func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    try GIFScanner.storedSize(in: bytes, work: work)
  }

  /// Decodes the picture; of an animation, later frames are decoded on demand.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try GIFImage(GIFScanner.file(in: bytes, work: work), options: options).decode(bytes, work: work)
  }

  /// Counts the bytes that belong neither to the picture nor to its profile, including those after the picture.
  ///
  /// Returns nil for a file that is damaged, ends too early, or has unknown parts.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    var counter = GIFMetadataCounter(bytes, work: work)
    return try counter.count()
  }

  /// Keeps the options that change the file.
  ///
  /// These are the background, the choice of the first frame, the metadata, the loss, both size limits and, with a limit
  /// of bytes, the quality.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    var result = options.commonToAllFormats
    // The quality decides how many colours a file may lose to meet its limit of bytes.
    if options.maxFileBytes != nil { result.takeQuality(of: options, FileSizeSearch.sensible) }
    result.backgroundColor = options.opaqueBackground
    result.firstFrameOnly = options.firstFrameOnly
    result.settings[.gifLoss] = GIFLoss(options)?.amount
    return result
  }

  /// Writes the picture with all its frames.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "GIF")
    let image = try image.withoutCodePoints(work: work).withoutGrayProfile(work: work)
    return ImageBytes(try GIFEncoder(options: options, diffusesError: diffusesError, work: work).encode(image))
  }

  /// Makes a decoder that shows the rows of the first frame as they arrive, and then the other frames.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    canDecode(prefix: prefix) ? ScanningDecoder(ArrivingGIF(options: options, work: work)) : nil
  }
}
