import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Reads and writes BMP, with all headers of Windows and those of OS/2.
///
/// It reads 1, 2, 4, 8, 16, 24 and 32 bits per pixel, bit masks, and both codings of runs (RLE4, RLE8). A file has
/// alpha only if it states a mask for alpha: the fourth byte of other pixels has no meaning. It writes 24 bits per
/// pixel, or 32 with a mask for alpha, upright and in sRGB.
public struct BMPCoder: EncodingCoder, MetadataCountingCoder, FileNamingCoder {
  private static let name = "BMP"

  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "bmp" }

  /// Only BMP.
  public var formats: [ImageFormat] { [.bmp] }

  /// The extensions of BMP files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// Returns true if the prefix begins with "BM" and a header of a known size with possible values.
  public func canDecode(prefix: [UInt8]) -> Bool {
    let start = Array(prefix.dropFirst(BMPHeader.fileHeaderBytes))
    guard prefix.starts(with: Self.signature), start.count >= 12, start.count >= min(36, start.little32(at: 0)) else {
      return false
    }
    // The rest of a long header does not matter here.
    return (try? BMPHeader(start + [UInt8](repeating: 0, count: BMPHeader.mostBytes))) != nil
  }

  /// Reads the header.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    let body = try open(bytes, work: work)
    var header = body.imageHeader(.bmp)
    header.iccProfileBytes = try body.readProfile(limits: work.limits)?.count ?? 0
    return header
  }

  /// Decodes the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let body = try open(bytes, work: work)
    var picture = BasicImage(name: Self.name, header: body.imageHeader(.bmp), options: options, work: work)
    picture.metadata = StoredMetadata(
      profile: try body.readProfile(limits: work.limits), density: body.header.density)
    picture.isBottomUp = !body.header.isTopDown
    return try picture.decode(format: body.hasAlpha ? .rgba8 : .opaqueRGBA8) { rows throws(ImageError) in
      let wound = try body.read(into: rows, work: work)
      // Without its profile, the picture would have other colours, so a cut profile counts as damage.
      let isCut = body.profileRange.map { $0.upperBound > bytes.count } ?? false
      return wound?.sparesPixels != false && isCut ? Wound("the file ends within the colour profile") : wound
    }
  }

  /// Counts the bytes that belong neither to the picture nor to its profile, including those between its parts.
  ///
  /// Returns nil for a file that is damaged or whose parts overlap.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    guard let body = try? open(bytes, work: work), body.pixelOffset >= body.tableEnd,
      let end = try body.pixelEnd(work: work)
    else { return nil }
    var used = body.tableEnd + (end - body.pixelOffset)
    if let profile = body.profileRange {
      let isApart =
        profile.lowerBound >= end || profile.lowerBound >= body.tableEnd && profile.upperBound <= body.pixelOffset
      guard isApart, profile.upperBound <= bytes.count else { return nil }
      // Bytes of other profiles are not counted as used, because their meaning is unknown.
      if try body.readProfile(limits: work.limits) != nil { used += profile.count }
    }
    return bytes.count - used
  }

  /// Returns false: a file has one picture.
  public func writesFrames(as format: ImageFormat) -> Bool { false }

  /// Keeps only both limits of the size.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions { options.basic }

  /// Writes the picture without loss, with 8 bits per component.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try check(canEncode: format, named: "BMP")
    return try BasicEncoder(name: Self.name, options: options, work: work).encode(image) {
      try BMPWriter($0, work: work).file()
    }
  }

  private static let signature = Array("BM".utf8)

  private func open(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) -> BMPBody {
    let start = try bytes.prefix(BMPHeader.fileHeaderBytes + BMPHeader.mostBytes)
    guard start.starts(with: Self.signature), start.count >= BMPHeader.fileHeaderBytes else {
      throw .bad(Self.name, "the \(bytes.count) bytes do not begin with a header")
    }
    let header: BMPHeader
    do throws(BMPFault) {
      header = try BMPHeader(Array(start.dropFirst(BMPHeader.fileHeaderBytes)))
    } catch {
      throw .bad(Self.name, error.sentence)
    }
    try work.limits.check(frame: header.size, claimedBy: "\(Self.name): the header")
    return try BMPBody(header, of: bytes, at: BMPHeader.fileHeaderBytes, statedOffset: start.little32(at: 10))
  }
}

extension BMPBody {
  func imageHeader(_ format: ImageFormat) -> ImageHeader {
    ImageHeader(format: format, storedSize: header.size, hasAlpha: hasAlpha)
  }
}
