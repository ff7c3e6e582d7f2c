import CEaselTIFF
import EaselCoding
import EaselCore

/// Reads the pictures of a file through libtiff.
///
/// The class is unchecked because only one thread at a time uses a reader: first the thread that decodes the picture,
/// and later the frame source, under its lock.
final class TIFFReader: @unchecked Sendable {
  let file: TIFFFile
  private(set) var layout = easel_tiff_layout()
  private let reader: OpaquePointer
  // The reader points to this source, which points to the bytes. They are immutable and stay at their place while they
  // are held.
  private let source: TIFFSource
  private let limits: Limits

  /// The least memory budget of a picture of any size.
  private static let leastBytes = 64 << 20

  /// Reads the directories, and the header of the first page.
  ///
  /// With a region, the limits of a picture bind only what is read of it.
  init(_ bytes: ImageBytes, region: PixelRect? = nil, work: WorkContext) throws(ImageError) {
    try work.checkCancellation()
    limits = work.limits
    file = try TIFFFile(bytes, limits: limits)
    let size = file.pages[0].size
    if region == nil { try limits.check(frame: size, claimedBy: "TIFF: the header") }
    source = TIFFSource(try file.mended(bytes))
    // Pages that are too large are refused once they are asked for.
    let area = file.pages.map(\.size.area).filter { [limits] in $0 <= limits.framePixels }.max() ?? 0
    let most = Self.leastBytes + 8 * area
    var made: OpaquePointer?
    let status = source.withForeign { easel_tiff_reader_create(&$0, 2 * most + bytes.count, most, &made) }
    guard let made else { throw .exhausted("TIFF: there is no memory to read a picture.") }
    reader = made
    guard status == EASEL_TIFF_OK else { throw failure(status, "the file") }
  }

  deinit { easel_tiff_reader_destroy(reader) }

  /// The bytes of memory kept between pages.
  var memoryCost: Int { source.bytes.memoryCost + layout.working_bytes }

  /// Goes to a page, or to another version of its picture.
  ///
  /// With a part, rows begin at its first one and have the columns of the tiles that hold it.
  func select(
    _ page: TIFFPage, reduction: (offset: Int, size: PixelSize)? = nil, part: PixelRect? = nil
  ) throws(ImageError) {
    let size = reduction?.size ?? page.size
    try limits.check(frame: part?.size ?? size, claimedBy: "TIFF: the header")
    try checkCompression(of: page)
    let (x, y, width) = (part?.x ?? 0, part?.y ?? 0, part?.width ?? 0)
    easel_tiff_reader_restrict(reader, UInt32(clamping: x), UInt32(clamping: width), UInt32(clamping: y))
    let status = easel_tiff_reader_select(reader, UInt64(reduction?.offset ?? page.directory.offset), &layout)
    guard status == EASEL_TIFF_OK else { throw failure(status, "the picture") }
    guard Int(layout.width) == size.width, Int(layout.height) == size.height else {
      throw .bad("TIFF", "the directory states its size twice, as \(size) and as \(layout.width) x \(layout.height)")
    }
  }

  /// Reads the next rows into memory that has room for them; returns the number of rows and the number of sound rows.
  func readRows(
    _ most: Int, isWide: Bool, into target: UnsafeMutableRawPointer, bytesPerRow: Int,
    alpha: UnsafeMutablePointer<UInt8>? = nil
  ) throws(ImageError) -> (count: Int, good: Int) {
    var (count, good): (UInt32, UInt32) = (0, 0)
    let status = easel_tiff_reader_rows(
      reader, UInt32(clamping: most), isWide, target, bytesPerRow, alpha, &count, &good)
    guard status == EASEL_TIFF_OK else { throw failure(status, "the picture") }
    return (Int(count), Int(good))
  }

  /// A description of pixels that could not be read.
  var damage: String? {
    guard easel_tiff_reader_is_damaged(reader) else { return nil }
    return "some of the pixels cannot be read\(said)"
  }

  // MARK: Errors

  private var said: String {
    let text = String(cString: easel_tiff_reader_message(reader))
    return text.isEmpty ? "" : " (libtiff: \(text))"
  }

  private func failure(_ status: easel_tiff_status, _ part: String) -> ImageError {
    let text = String(cString: easel_tiff_reader_message(reader))
    switch status {
    case EASEL_TIFF_NO_MEMORY: return .exhausted("TIFF: there is no memory to read a picture.")
    case EASEL_TIFF_UNSUPPORTED: return ImageError(.unsupportedFormat, "TIFF: \(text).")
    case EASEL_TIFF_TOO_LARGE:
      return ImageError(
        .limitExceeded,
        "TIFF: the tiles or rows of a picture of \(layout.width) x \(layout.height) take too much memory: only "
          + "\(Self.leastBytes >> 20) MB more than its own pixels are allowed.")
    default: return .bad("TIFF", "\(part) is damaged\(said)")
    }
  }

  private static let knownCompressions: [Int: String] = [
    6: "old JPEG", 7: "JPEG", 8: "deflate", 9: "JBIG", 10: "JBIG", 32_769: "RAW of PackBits", 33_003: "JPEG 2000",
    33_004: "JPEG 2000", 33_005: "JPEG 2000", 34_661: "JBIG", 34_712: "JPEG 2000", 34_718: "Microsoft document",
    34_719: "Microsoft document", 34_887: "LERC", 34_925: "LZMA", 34_933: "PNG", 34_934: "JPEG XR", 50_000: "ZSTD",
    50_001: "WebP", 50_002: "JPEG XL", 52_546: "JPEG XL", 22_610: "JPEG XR", 32_908: "PIXTIFF",
  ]

  private func checkCompression(of page: TIFFPage) throws(ImageError) {
    let stated = try file.directories.number(TIFFTag.compression, of: page.directory) ?? 1
    let number = UInt16(clamping: stated)
    guard stated > 65_535 || stated == 0 || !easel_tiff_reads_compression(number) else { return }
    guard let name = Self.knownCompressions[stated] else {
      throw .bad("TIFF", "the pixels have the compression \(stated), which is unknown")
    }
    throw ImageError(.unsupportedFormat, "TIFF: the pixels are compressed as \(name), which this libtiff cannot read.")
  }
}

/// The bytes of a file for the C target.
private final class TIFFSource {
  let bytes: ImageBytes

  init(_ bytes: ImageBytes) { self.bytes = bytes }

  /// Calls `body` with a description that stays valid while this object lives.
  func withForeign<Result>(_ body: (inout easel_tiff_source) -> Result) -> Result {
    var source = easel_tiff_source()
    source.count = UInt64(bytes.count)
    source.bytes = bytes.withBytesInMemory { $0.baseAddress?.assumingMemoryBound(to: UInt8.self) } ?? nil
    source.context = Unmanaged.passUnretained(self).toOpaque()
    source.read = { context, offset, target, count in
      guard let context, let target, let offset = Int(exactly: offset) else { return 0 }
      let source = Unmanaged<TIFFSource>.fromOpaque(context).takeUnretainedValue()
      // A file that cannot be read is treated like a file that ends here.
      return (try? source.bytes.read(at: offset, into: UnsafeMutableRawBufferPointer(start: target, count: count))) ?? 0
    }
    return body(&source)
  }
}
