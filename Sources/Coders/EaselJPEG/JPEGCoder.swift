import EaselCoding
import EaselCore
import EaselSupport

/// Reads and writes JPEG: baseline, progressive and arithmetic; grey, colour and CMYK.
///
/// Colours are converted from an embedded ICC profile, and taken for sRGB without one. CMYK values, which are stored
/// inverted in practice, are mixed by a simple formula if there is no profile. A CMYK picture never keeps its profile,
/// because its decoded pixels are RGB. Pictures of 12 bits and the lossless process are left to other coders. Only the
/// XMP of a single segment is read. The gain map of an Ultra HDR picture is read with it, and written again. To meet
/// ``EaselCore/EncodeOptions/maxFileBytes`` the quality falls to 0.25, or to the one asked for if that is lower; below
/// it the picture is made smaller. The effort is a setting of its own: ``EaselCore/EncodeOptions/Setting/jpegEffort``.
/// The qualities of other formats mean what they mean here.
///
/// ```swift
/// let options = DecodeOptions(thumbnailSize: PixelSize(width: 320, height: 320))
/// let thumbnail = try JPEGCoder().decode(bytes, options: options, work: WorkContext())
/// ```
public struct JPEGCoder:
  EncodingCoder, ProgressiveImageCoder, MetadataCountingCoder, SizeReadingCoder, FileNamingCoder
{
  /// The most threads for one picture.
  private let threads: Int

  /// Needs no settings; what one load wants is in its options.
  public init() { threads = 2 }

  /// Creates a coder that decodes a picture on one thread, or on two.
  package init(threads: Int) { self.threads = threads }

  /// The coder's name in cache keys.
  public var identifier: String { "jpeg" }

  /// Only JPEG.
  public var formats: [ImageFormat] { [.jpeg] }

  /// The extensions of JPEG files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// Returns true if the prefix starts with the first marker and the beginning of a second.
  public func canDecode(prefix: [UInt8]) -> Bool { prefix.starts(with: JPEGScanner.signature) }

  /// Reads everything before the pixels, and the header of a gain map after them.
  ///
  /// A note says if the file has no end marker.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let file = try JPEGScanner.file(in: bytes, work: work)
    var header = file.imageHeader(profileBytes: try file.readProfile(of: bytes)?.count ?? 0)
    switch try JPEGGainMap.search(for: file, in: bytes, work: work) {
    case .nothing: break
    case .map(let map): header.gainMap = map.header
    case .ignored(let note): header.notes.append(note)
    }
    let isWhole = try JPEGEndMarker.isThere(in: bytes, from: file.pixelStart, work: work)
    if !isWhole { header.notes.append(Wound.noEndMarker.note("JPEG")) }
    var scans = 1
    if file.hasSeveralScans {
      scans = try JPEGScanCount.count(in: bytes, from: file.pixelStart, atMost: JPEGPixelReader.mostScans, work: work)
      header.effort = JPEGScanCount.effort(scans: scans, pixels: file.size.area, bytes: bytes.count)
    }
    header.decoderBytes = JPEGFootprint(file).bytes(ofFile: bytes.count, scans: scans, isWhole: isWhole)
    return header
  }

  /// Reads the size in the frame header, and nothing behind it.
  public func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    try JPEGScanner.storedSize(in: bytes, work: work)
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let file = try JPEGScanner.file(in: bytes, work: work)
    let picture = try JPEGImage(file, of: bytes, options: options, limits: work.limits)
    let isHelped =
      threads > 1 && Self.suitsTwoThreads(file.size, byteCount: bytes.count) && CPUBudget.hasIdleProcessor
    let reader = try picture.makeReader(threads: isHelped ? threads : 1)
    try reader.advance(over: bytes, isWhole: true, work: work)
    return try picture.image(from: reader, of: bytes, work: work)
  }

  /// True if a second thread saves more than it costs.
  ///
  /// A small file is decoded before the thread has begun. In a file with hardly half a bit for each pixel, it takes longer
  /// to hand over the levels than to read them.
  static func suitsTwoThreads(_ size: PixelSize, byteCount: Int) -> Bool {
    byteCount >= 192 << 10 && byteCount >= size.area / 16
  }

  /// Counts the bytes that belong neither to the picture nor to its profile, also those after its end.
  ///
  /// Returns nil for a file that is damaged, that ends too early, or that has parts whose meaning is unknown.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    var counter = JPEGMetadataCounter(bytes, work: work)
    return try counter.count()
  }

  /// Returns false, because a JPEG is a still picture.
  public func writesFrames(as format: ImageFormat) -> Bool { false }

  /// Keeps the options that change the file.
  ///
  /// These are the quality in whole per cent, background, passes, resolution of colour, gain map, metadata, effort,
  /// restart markers, and both limits of the size. A score takes the place of the quality. Keys without an effort are those of files that libjpeg-turbo wrote.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    var result = options.commonToAllFormats
    result.keepsCopyright = options.keepsCopyrightAlone
    LooksTable.jpeg.takeLooks(of: options, into: &result, JPEGEncoder.wholePercent)
    result.backgroundColor = options.opaqueBackground
    result.asked.progressive = options.asked.progressive
    result.asked.chromaSubsampling = options.asked.chromaSubsampling
    result.keepsGainMap = options.keepsGainMap
    result.settings[.jpegEffort] = JPEGEffort(options).rawValue
    if options.settings[.jpegRestarts] == true { result.settings[.jpegRestarts] = true }
    return result
  }

  /// Writes the picture; of an animation, its still picture.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "JPEG")
    let image = try image.withoutCodePoints(work: work)
    return try ScoredEncoding(self, background: options.opaqueBackground, work: work).bytes(of: image, options) {
      ImageBytes(try JPEGEncoder($0, options: $1, work: work).encode())
    }
  }

  /// Makes a decoder that shows rows, or the scans of a progressive picture, as they arrive.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    canDecode(prefix: prefix) ? ScanningDecoder(ArrivingJPEG(options: options, work: work)) : nil
  }
}
