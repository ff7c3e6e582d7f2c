import EaselCoding
import EaselCore

/// Reads and writes PNG, still or animated (APNG).
///
/// Colours are converted from an embedded ICC profile, or from the code points of cICP. Pixels described by gAMA, cHRM
/// and sRGB are assumed to be sRGB. Code points that mark narrow range are treated like full range. The bitmap of an
/// animation is its still picture, which in some files is not one of the frames.
///
/// ```swift
/// let file = try PNGCoder().encode(image, as: .png, options: EncodeOptions(), work: WorkContext())
/// ```
public struct PNGCoder: EncodingCoder, ProgressiveImageCoder, MetadataCountingCoder, SizeReadingCoder, FileNamingCoder {
  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "png" }

  /// Only PNG.
  public var formats: [ImageFormat] { [.png] }

  /// The extensions of PNG files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// Returns true if the prefix starts with the eight bytes of the PNG signature.
  public func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: PNGScanner.signature) }

  /// Reads everything except the pixels, which are skipped.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let file = try PNGScanner.file(in: bytes, work: work)
    return file.imageHeader(profileBytes: try file.readProfile(of: bytes, limits: work.limits)?.count ?? 0)
  }

  /// Reads the size in IHDR and stops there.
  public func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    try PNGScanner.storedSize(in: bytes, work: work)
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let file = try PNGScanner.file(in: bytes, work: work)
    return try PNGImage(file, of: bytes, options: options, limits: work.limits).decode(bytes, work: work)
  }

  /// Counts the bytes that belong neither to the picture nor to its profile, including those after the picture.
  ///
  /// Returns nil for a file that is damaged, ends too early, or has unknown parts.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    var counter = PNGMetadataCounter(bytes, work: work)
    return try counter.count()
  }

  /// Keeps the options of PNG: level, effort, palettes, choice of the first frame, metadata, and both size limits.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    var result = options.commonToAllFormats
    result.keepsCopyright = options.keepsCopyrightAlone
    result.quality = 1
    result.allowsPalette = options.allowsPalette
    result.firstFrameOnly = options.firstFrameOnly
    result.settings[.pngPalette] = options.settings[.pngPalette]
    PNGEffort(options).state(in: &result)
    return result
  }

  /// Writes the picture without loss, an animation as APNG.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "PNG")
    return ImageBytes(try PNGEncoder(options: options, work: work).encode(image))
  }

  /// Makes a decoder that shows rows, or the passes of an interlaced picture, as they arrive.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    canDecode(prefix: prefix) ? ScanningDecoder(ArrivingPNG(options: options, work: work)) : nil
  }
}
