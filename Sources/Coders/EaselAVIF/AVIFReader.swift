import CEaselAVIF
import EaselCoding
import EaselCore

/// Reads the header and the pixels of a file with libavif.
///
/// Unchecked, because only one thread at a time uses a reader: first the one that decodes the picture, later the frame
/// source under its lock.
final class AVIFReader: @unchecked Sendable {
  let file: AVIFFile
  private(set) var header: AVIFHeader
  private let reader: OpaquePointer
  // The reader points into these bytes, which do not change, and stay where they are while the reader exists.
  private let bytes: ImageBytes
  /// The reader for the alpha of a grid's cells, whose picture is grey.
  private var alpha: AVIFReader?

  /// Reads everything except the pixels.
  convenience init(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) {
    try work.checkCancellation()
    let whole = try bytes.loaded()
    try self.init(whole: whole, work: work)
    guard !header.hasAlpha, !header.isSequence, let cells = try file.alphaOfCells(whole) else { return }
    let alpha = try AVIFReader(whole: cells, work: work)
    guard alpha.header.codedSize == header.codedSize else {
      throw .bad("AVIF", "the alpha of the cells makes a picture of \(alpha.header.codedSize), not \(header.codedSize)")
    }
    self.alpha = alpha
    header.hasAlpha = true
  }

  private init(whole: ImageBytes, work: WorkContext) throws(ImageError) {
    file = try AVIFFile(whole, limits: work.limits)
    // libavif also has limits, but does not distinguish them from damage.
    if let size = file.largestSize {
      try work.limits.check(frame: size, claimedBy: "AVIF: the header")
      try work.limits.check(frameCount: file.frameCount, claimedBy: "AVIF: the header")
    }
    guard file.cellCount <= Self.mostCells else {
      throw ImageError(
        .limitExceeded,
        "AVIF: the picture is put together from \(file.cellCount) cells, over the \(Self.mostCells) that are decoded, "
          + "because each takes a decoder of its own.")
    }
    guard file.entryCount <= Self.mostEntries else {
      throw ImageError(
        .limitExceeded,
        "AVIF: the lists of the file's items have \(file.entryCount) entries, over the \(Self.mostEntries) that are "
          + "read, because libavif goes through all items for each.")
    }
    let bytes = try file.mended(whole)
    self.bytes = bytes
    reader = try Self.open(bytes, limits: work.limits, threads: file.threads)
    do throws(ImageError) {
      header = try AVIFHeader(reader, of: file)
    } catch {
      easel_avif_reader_destroy(reader)
      throw error
    }
    try header.check(work.limits)
    // A small cell must not contain a large picture, because there may be thousands of cells. Layers may be somewhat
    // larger.
    if let size = file.largestCodedSize {
      easel_avif_reader_limit(reader, UInt32(clamping: size.area.multipliedReportingOverflow(by: 4).partialValue))
    }
  }

  deinit { easel_avif_reader_destroy(reader) }

  /// The number of bytes of the file.
  var byteCount: Int { bytes.count }

  /// The bytes that are kept between frames: those of the file, of the planes of a frame, and of the frames it refers
  /// to.
  var memoryCost: Int { bytes.memoryCost + 4 * header.codedSize.area * (header.bitDepth > 8 ? 2 : 1) }

  /// Decodes a frame, whose rows can then be read.
  func decode(_ index: Int) throws(ImageError) {
    try alpha?.decode(index)
    let status = easel_avif_reader_decode(reader, UInt32(index))
    guard status == EASEL_AVIF_OK else {
      throw Self.failure(status, reader, in: header.isSequence ? "frame \(index)" : "the picture")
    }
  }

  /// Converts rows of the decoded frame to RGBA with straight alpha; the first must be even.
  ///
  /// A target in a picture has the rows above, which were read before, and room for the rows below, which are
  /// spoilt.
  func readRows(
    _ rows: Range<Int>, isWide: Bool, isInPicture: Bool = false, into target: UnsafeMutableRawPointer, bytesPerRow: Int
  ) throws(ImageError) {
    let status = easel_avif_reader_read_rows(
      reader, UInt32(rows.lowerBound), UInt32(rows.count), isWide, isInPicture, target, bytesPerRow)
    guard status != EASEL_AVIF_UNSUPPORTED else {
      throw ImageError(
        .unsupportedFormat,
        "AVIF: the colours are stored with matrix \(header.matrix) of ITU-T H.273, which libavif cannot undo.")
    }
    guard status == EASEL_AVIF_OK else { throw Self.failure(status, reader, in: "the picture") }
    guard let alpha else { return }
    let bytesPerPixel = isWide ? 8 : 4
    let width = header.codedSize.width
    var gray = [UInt8](repeating: 0, count: width * rows.count * bytesPerPixel)
    let result = gray.withUnsafeMutableBytes { gray in
      Result<Void, ImageError> { () throws(ImageError) in
        try alpha.readRows(rows, isWide: isWide, into: gray.baseAddress!, bytesPerRow: width * bytesPerPixel)
      }
    }
    try result.get()
    gray.withUnsafeBytes {
      easel_avif_take_alpha(target, bytesPerRow, $0.baseAddress, width, rows.count, isWide)
    }
  }

  /// Makes a reducer for the decoded frame; returns nil if the frame can only be read in whole rows.
  func reducer(from crop: PixelRect, to target: PixelSize, isWide: Bool) throws(ImageError) -> AVIFReducer? {
    guard alpha == nil else { return nil }
    var reduction = easel_avif_reduction(
      x: UInt32(crop.x), y: UInt32(crop.y), width: UInt32(crop.width), height: UInt32(crop.height),
      target_width: target.width, target_height: target.height, is_wide: isWide)
    var made: OpaquePointer?
    let status = easel_avif_reducer_create(reader, &reduction, &made)
    if status == EASEL_AVIF_UNSUPPORTED { return nil }
    guard status == EASEL_AVIF_OK, let made else { throw Self.failure(status, reader, in: "the picture") }
    return AVIFReducer(made, of: self)
  }

  // MARK: Opening

  private static func open(
    _ bytes: ImageBytes, limits: Limits, threads: Int
  ) throws(ImageError) -> OpaquePointer {
    let reading = easel_avif_reading(
      most_pixels: UInt32(min(max(1, limits.framePixels), mostPixels)),
      most_side: UInt32(clamping: max(1, limits.side)), most_frames: UInt32(clamping: max(1, limits.frames)),
      threads: Int32(threads), ignores_metadata: false, shows_layers: false)
    var reader: OpaquePointer?
    var status = create(&reader, bytes, reading)
    if status == EASEL_AVIF_BAD_METADATA || status == EASEL_AVIF_CUT_OFF {
      // A picture is shown even if its EXIF block is damaged or cut off.
      easel_avif_reader_destroy(reader)
      var reading = reading
      reading.ignores_metadata = true
      status = create(&reader, bytes, reading)
    }
    guard status == EASEL_AVIF_OK, let reader else {
      defer { easel_avif_reader_destroy(reader) }
      throw failure(status, reader, in: "the file")
    }
    return reader
  }

  /// The most cells, because the decoder of a cell takes half a megabyte, however small the cell is.
  private static let mostCells = 1024

  /// The most entries; libavif needs a tenth of a second for them.
  ///
  /// A picture with the most cells and with alpha has about 10,000.
  private static let mostEntries = 1 << 14

  /// The most pixels that libavif allows.
  private static let mostPixels = 1 << 28

  private static func create(
    _ reader: inout OpaquePointer?, _ bytes: ImageBytes, _ reading: easel_avif_reading
  ) -> easel_avif_status {
    var reading = reading
    return bytes.withBytesInMemory { easel_avif_reader_create($0.baseAddress, $0.count, &reading, &reader) }
      ?? EASEL_AVIF_BAD_DATA
  }

  private static func failure(
    _ status: easel_avif_status, _ reader: OpaquePointer?, in part: String
  ) -> ImageError {
    let detail = reader.map { String(cString: easel_avif_reader_message($0)) } ?? ""
    let said = detail.isEmpty ? "" : " (libavif: \(detail))"
    switch status {
    case EASEL_AVIF_NO_MEMORY: return .exhausted("AVIF: there is no memory for \(part).")
    case EASEL_AVIF_CUT_OFF: return .bad("AVIF", "the file ends before \(part) is complete\(said)")
    case EASEL_AVIF_NO_CODEC:
      return ImageError(.unsupportedFormat, "AVIF: this libavif was built without dav1d, which decodes the pixels.")
    default: return .bad("AVIF", "\(part) is damaged\(said)")
    }
  }
}
