import CEaselJPEG
import EaselCoding
import EaselCore
import EaselPixels

/// Reads the pixels of a file while its bytes arrive.
final class JPEGPixelReader {
  private enum Phase {
    case header, rows, end, scans, over
  }

  private let file: JPEGFile
  private let scale: JPEGScale
  private let target: PixelSize
  private let averagesLight: Bool
  private let cmyk: CMYKConversion?
  private let threads: Int
  private let library: OpaquePointer
  private var feed: JPEGFeeder
  private var stage = Phase.header
  /// With one scan, its rows; with several scans, the rows shown last.
  private var rows: JPEGRows?
  private var decodedSize = PixelSize(width: 0, height: 0)
  /// The place of the first scan, and true if all bytes were there when it was read.
  private var firstScan = 0
  private var isWhole = false
  /// The wound in the pixels or at the end of the file.
  private(set) var wound: Wound?

  /// A file with more scans only serves to keep a decoder busy: each scan is a pass over the whole picture.
  static let mostScans = 200

  /// Creates a reader that reads no more than so many bytes, with a second thread if there are to be two.
  init(
    _ file: JPEGFile, scale: JPEGScale, target: PixelSize, averagesLight: Bool, cmyk: CMYKConversion?,
    threads: Int = 1, limit: Int = .max
  ) throws(ImageError) {
    guard let library = easel_jpeg_reader_create() else {
      throw ImageError.exhausted("JPEG: there is no memory to read a picture.")
    }
    self.file = file
    self.scale = scale
    self.target = target
    self.averagesLight = averagesLight
    self.cmyk = cmyk
    self.threads = threads
    self.library = library
    feed = JPEGFeeder(isStepwise: !file.isArithmetic, limit: limit)
  }

  deinit { easel_jpeg_reader_destroy(library) }

  /// True when decoding all bytes at once may give a better picture: the library overlooks a bad code in large pieces,
  /// and rows that have begun cannot be restarted after an error.
  var mayImproveWhenDecodedWhole: Bool {
    easel_jpeg_reader_has_bad_code(library) || wound != nil && file.hasSeveralScans
  }

  /// Grows with everything that can be shown.
  var progress: Int {
    file.hasSeveralScans ? Int(easel_jpeg_reader_progress(library)) : rows?.progress ?? 0
  }

  /// Continues reading where the last call stopped; `isWhole` means that no more bytes will come.
  func advance(over bytes: ImageBytes, isWhole: Bool, work: WorkContext) throws(ImageError) {
    // The library cannot pause in the middle of arithmetic codes.
    guard !file.isArithmetic else {
      if isWhole { try run(over: inMemory(bytes, work.limits), isWhole: true, work: work) }
      return
    }
    self.isWhole = isWhole
    try run(over: bytes, isWhole: isWhole, work: work)
    if isWhole { try doubtZeros(in: bytes, work: work) }
  }

  /// Zeros at the end that are read as pixels stand for bytes that were lost, because zeros are codes too.
  ///
  /// A file that gets its length before its content ends like that. The codes of a sound picture hardly ever end in a
  /// byte of zero, because they are filled up with ones. So a picture that has all pixels has them without the zeros.
  private func doubtZeros(in bytes: ImageBytes, work: WorkContext) throws(ImageError) {
    guard wound?.sparesPixels == true, feed.limit == .max else { return }
    let length = try JPEGEndMarker.lengthWithoutZeros(of: bytes, work: work)
    guard length < bytes.count else { return }
    let reader = try JPEGPixelReader(
      file, scale: scale, target: target, averagesLight: averagesLight, cmyk: cmyk, limit: length)
    try reader.advance(over: bytes, isWhole: true, work: work)
    if reader.wound?.sparesPixels != true { wound = Wound("zeros stand in place of the last pixels") }
  }

  private func inMemory(_ bytes: ImageBytes, _ limits: Limits) throws(ImageError) -> ImageBytes {
    guard bytes.isInFile else { return bytes }
    guard bytes.count <= limits.downloadBytes else {
      throw ImageError(
        .limitExceeded,
        "JPEG: an arithmetic-coded picture is read as a whole, but its \(bytes.count) bytes are over the limit of "
          + "\(limits.downloadBytes). Raise Limits.downloadBytes to allow it.")
    }
    return try bytes.loaded()
  }

  private func run(over bytes: ImageBytes, isWhole: Bool, work: WorkContext) throws(ImageError) {
    while stage != .over {
      let status = try step(over: bytes, isWhole: isWhole, work: work)
      switch status {
      case EASEL_JPEG_OK, EASEL_JPEG_ENDED: continue
      case EASEL_JPEG_NEEDS_BYTES: return
      default: try fail(status)
      }
    }
  }

  private func step(over bytes: ImageBytes, isWhole: Bool, work: WorkContext) throws(ImageError) -> easel_jpeg_status {
    let library = library
    switch stage {
    case .header:
      var info = easel_jpeg_info()
      let status = try feed.run(over: bytes, isWhole: isWhole, work: work) {
        easel_jpeg_reader_header(library, $0, &info)
      }
      return status == EASEL_JPEG_OK ? try begin(info) : status
    case .rows: return try readRows(over: bytes, isWhole: isWhole, work: work)
    case .end:
      let status = try feed.run(over: bytes, isWhole: isWhole, work: work) { easel_jpeg_reader_finish(library, $0) }
      if status == EASEL_JPEG_ENDED { stop(nil) }
      return status
    case .scans:
      // A row of blocks is eight or more rows of pixels.
      let most = Int32(clamping: CancellationPace.lines(of: file.size.width) / 8 + 1)
      let before = feed.position
      let status = try feed.run(over: bytes, isWhole: isWhole, work: work) {
        easel_jpeg_reader_absorb(library, $0, most, Int32(Self.mostScans))
      }
      if feed.position < before { rows = nil }
      guard status == EASEL_JPEG_NEEDS_BYTES || status == EASEL_JPEG_ENDED else { return status }
      guard try readScans(of: bytes, most: most, work: work) else { return EASEL_JPEG_OK }
      if status == EASEL_JPEG_ENDED { stop(nil) }
      return status
    case .over: return EASEL_JPEG_ENDED
    }
  }

  private func begin(_ info: easel_jpeg_info) throws(ImageError) -> easel_jpeg_status {
    guard Int(info.width) == file.size.width, Int(info.height) == file.size.height,
      info.has_several_scans == file.hasSeveralScans, (info.kind == EASEL_JPEG_INKS) == (file.kind == .cmyk)
    else { throw .bad("JPEG", "the headers of the file contradict each other") }
    var (width, height): (UInt32, UInt32) = (0, 0)
    let status = easel_jpeg_reader_begin(library, Int32(scale.eighths), &width, &height)
    guard status == EASEL_JPEG_OK else { return status }
    decodedSize = PixelSize(width: Int(width), height: Int(height))
    firstScan = feed.position
    if info.has_several_scans, !isWhole {
      let status = easel_jpeg_reader_keep_scans(library)
      guard status == EASEL_JPEG_OK else { return status }
    }
    if !info.has_several_scans { rows = try makeRows() }
    // While bytes arrive, one thread is fast enough.
    if threads > 1 && isWhole { easel_jpeg_reader_read_ahead(library) }
    stage = info.has_several_scans ? .scans : .rows
    return status
  }

  /// Reads the codes of what has arrived, if the library does so before rows are made; false if all scans must be taken in
  /// again, because they are left to libjpeg-turbo.
  private func readScans(of bytes: ImageBytes, most: Int32, work: WorkContext) throws(ImageError) -> Bool {
    let library = library
    let access = JPEGFileAccess(bytes, limit: feed.limit)
    var status = EASEL_JPEG_OK
    while status == EASEL_JPEG_OK {
      try work.checkCancellation()
      status = try access.call { easel_jpeg_reader_read_scans(library, $0, most) }
    }
    if status == EASEL_JPEG_NEEDS_BYTES { return true }
    guard status == EASEL_JPEG_SCANS_AGAIN else {
      try fail(status)
      return true
    }
    feed.rewind(to: firstScan)
    rows = nil
    return false
  }

  private func makeRows() throws(ImageError) -> JPEGRows {
    try JPEGRows(
      of: decodedSize, box: scale.box(of: file.size), target: target, averagesLight: averagesLight, cmyk: cmyk)
  }

  private func readRows(over bytes: ImageBytes, isWhole: Bool, work: WorkContext) throws(ImageError)
    -> easel_jpeg_status
  {
    guard let rows else { return EASEL_JPEG_ENDED }
    let library = library
    let most = CancellationPace.lines(of: decodedSize.width)
    let status = try rows.take(most) { (target, bytesPerRow, most, count) throws(ImageError) in
      var total: UInt32 = 0
      defer { count = total }
      return try feed.run(over: bytes, isWhole: isWhole, work: work) { input in
        var got: UInt32 = 0
        let status = easel_jpeg_reader_rows(
          library, input, target + Int(total) * bytesPerRow, bytesPerRow, most - total, &got)
        total += got
        return status
      }
    }
    if status == EASEL_JPEG_ENDED {
      if rows.isComplete { stage = .end } else { stop("the pixels end before the last row") }
    }
    return status
  }

  /// Handles an error: rows decoded before it stay, and errors that leave no picture are thrown.
  private func fail(_ status: easel_jpeg_status) throws(ImageError) {
    let message = String(cString: easel_jpeg_reader_message(library))
    switch status {
    case EASEL_JPEG_UNSUPPORTED:
      throw ImageError(.unsupportedFormat, "JPEG: libjpeg-turbo cannot decode the picture (\(message)).")
    case EASEL_JPEG_TOO_MANY_SCANS:
      throw ImageError(
        .limitExceeded,
        "JPEG: the picture has more than \(Self.mostScans) scans, which is the limit. More only keep a decoder busy.")
    case EASEL_JPEG_NO_MEMORY:
      throw ImageError.exhausted("JPEG: there is no memory to decode a picture of \(file.size).")
    default: stop("libjpeg-turbo cannot read on (\(message))")
    }
  }

  /// Ends the reading, for this reason if it is not the end of the file.
  private func stop(_ reason: String?) {
    let hasEveryPixel = easel_jpeg_reader_needs_no_scan(library) && (stage == .end || stage == .scans)
    stage = .over
    if let seen = easel_jpeg_reader_damage(library) {
      wound = Wound("libjpeg-turbo reports damaged pixels: \(String(cString: seen))")
    } else if let reason {
      wound = Wound(reason, sparesPixels: hasEveryPixel)
    } else if easel_jpeg_reader_has_ended_early(library) {
      wound = hasEveryPixel ? .noEndMarker : Wound("the file ends before its last scan")
    } else if easel_jpeg_reader_has_odd_scans(library) {
      wound = Wound("the headers of its scans contradict each other", sparesPixels: true)
    }
  }

  // MARK: Showing

  private enum Showing {
    case rows, nothing
    /// All scans must be taken in again, because they are left to libjpeg-turbo.
    case again
  }

  /// The picture so far, nil when none of it can be shown.
  func bitmap(of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Bitmap? {
    guard decodedSize.width > 0 else { return nil }
    if file.hasSeveralScans {
      var showing = try showScans(of: bytes, work: work)
      if case .again = showing {
        feed.rewind(to: firstScan)
        (stage, rows, wound) = (.scans, nil, nil)
        try advance(over: bytes, isWhole: isWhole, work: work)
        showing = try showScans(of: bytes, work: work)
      }
      guard case .rows = showing else { return nil }
    }
    return rows.flatMap { $0.progress > 0 ? $0.bitmap : nil }
  }

  private func showScans(of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Showing {
    let isInFirstScan = stage != .over && easel_jpeg_reader_is_in_first_scan(library)
    if !isInFirstScan || rows == nil {
      guard progress > 0 else { return .nothing }
      switch easel_jpeg_reader_restart_rows(library) {
      case EASEL_JPEG_OK: rows = try makeRows()
      case EASEL_JPEG_NEEDS_BYTES: return .nothing
      case EASEL_JPEG_SCANS_AGAIN: return .again
      case let status:
        try fail(status)
        return .nothing
      }
    }
    return try showRows(of: bytes, work: work)
  }

  /// Reads the rows of the scans received so far; of an incomplete first scan, the rows available.
  private func showRows(of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Showing {
    guard let rows else { return .nothing }
    let library = library
    let access = JPEGFileAccess(bytes, limit: feed.limit)
    var status = EASEL_JPEG_OK
    while status == EASEL_JPEG_OK {
      try work.checkCancellation()
      status = try rows.take(CancellationPace.lines(of: decodedSize.width)) {
        (target, bytesPerRow, most, count) throws(ImageError) in
        var got: UInt32 = 0
        defer { count = got }
        return try access.call { easel_jpeg_reader_scan_rows(library, $0, target, bytesPerRow, most, &got) }
      }
    }
    if status == EASEL_JPEG_SCANS_AGAIN { return .again }
    if status != EASEL_JPEG_ENDED && status != EASEL_JPEG_NEEDS_BYTES { try fail(status) }
    return .rows
  }

  /// True when all rows of the picture were read.
  var isComplete: Bool { rows?.isComplete ?? false }

  /// The number of rows in the bitmap that was made last.
  var shownRows: Int { rows?.progress ?? 0 }
}
