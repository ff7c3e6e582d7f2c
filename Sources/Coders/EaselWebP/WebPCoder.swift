import EaselCoding
import EaselCore

/// Reads and writes WebP: lossy, lossless, with alpha, still or animated.
///
/// Frames are composed as in libwebp's own player: on a transparent canvas, whatever background the file names.
/// Lossless files keep every pixel, including the colours of transparent pixels. For lossless files,
/// ``EaselCore/EncodeOptions/compressionLevel`` sets the effort, and ``EaselCore/EncodeOptions/quality`` has no effect.
/// To meet ``EaselCore/EncodeOptions/maxFileBytes``, the quality of a lossy file falls to 0.25, or to the requested
/// quality if this is lower. If that does not suffice, the picture is made smaller.
public struct WebPCoder: EncodingCoder, ProgressiveImageCoder, MetadataCountingCoder, SizeReadingCoder {
  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "webp" }

  /// Only WebP.
  public var formats: [ImageFormat] { [.webp] }

  /// Returns true if the prefix has the names of the container and of the format.
  public func canDecode(prefix: [UInt8]) -> Bool { WebPScanner.isSignature(prefix) }

  /// Reads everything except the pixels, which are skipped.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try WebPScanner.file(in: bytes, work: work).imageHeader
  }

  /// Reads the size of the canvas and stops there.
  public func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    try WebPScanner.storedSize(in: bytes, work: work)
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let picture = WebPImage(try WebPScanner.file(in: bytes, work: work), options: options)
    // A file known to be damaged is refused before its pixels are read.
    if let wound = picture.file.wound, !options.damaged.accepts(wound) { throw ImageError.bad("WebP", wound.text) }
    let reader = try picture.makeReader(showsParts: false)
    try reader.advance(over: bytes, isWhole: true, work: work)
    guard reader.damage != nil, options.damaged != .show else {
      return try picture.image(from: reader, of: bytes, work: work)
    }
    // libwebp accepts some damaged pixels only in small pieces. So the damaged pixels are read as if they were still
    // arriving, and a picture is the same however it arrives.
    let gradual = try picture.makeReader(showsParts: true)
    try gradual.advance(over: bytes, isWhole: true, work: work)
    return try picture.image(from: gradual, of: bytes, work: work)
  }

  /// Counts the bytes that belong neither to the picture nor to its profile, including those after the picture.
  ///
  /// Returns nil for a file that is damaged, ends too early, or has unknown parts.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    var counter = WebPMetadataCounter(bytes, work: work)
    return try counter.count()
  }

  /// Keeps the options of WebP: the quality or the lossless level, the first frame, the metadata, and both size limits.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    var result = options.commonToAllFormats
    result.keepsCopyright = options.keepsCopyrightAlone
    result.asked.lossless = options.asked.lossless
    if options.lossless {
      result.compressionLevel = options.sensibleLevel
    } else {
      LooksTable.webp.takeLooks(of: options, into: &result, FileSizeSearch.sensible)
      // Keys without a method are those of files that were written with the usual one.
      if let method = options.settings[.webpMethod].map(WebPPixels.Way.sensible), method != WebPPixels.Way.usualMethod {
        result.settings[.webpMethod] = method
      }
    }
    result.firstFrameOnly = options.firstFrameOnly
    return result
  }

  /// Writes the picture, with all frames if it is an animation; no side may exceed 16,383 pixels.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "WebP")
    let image = try image.withoutCodePoints(work: work).withoutGrayProfile(work: work)
    return try ScoredEncoding(self, work: work).bytes(of: image, options) {
      ImageBytes(try WebPEncoder(options: $1, work: work).encode($0))
    }
  }

  /// Makes a decoder that shows rows, and complete frames, as they arrive.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    canDecode(prefix: prefix) ? ScanningDecoder(ArrivingWebP(options: options, work: work)) : nil
  }
}
