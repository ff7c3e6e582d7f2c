import CEaselPNG
import EaselCore
import EaselPixels
import EaselSupport

/// Decodes usual pictures in one go, about twice as fast as row by row.
///
/// The result is nil for an unusual picture, which is then decoded row by row. If both ways work, they give the same
/// pixels.
enum PNGFastPath {
  /// The most bytes; more would keep a thread busy for too long without a check for cancellation.
  static let mostFilteredBytes = 64 << 20
  /// The most bytes of a picture that is reduced, because it is decoded as a whole first.
  static let mostFilteredBytesOfThumbnails = 4 << 20

  static func bitmap(
    _ file: PNGFile, from chunk: PNGChunk, dataBytes: Int, size: PixelSize, isWide: Bool, of bytes: ImageBytes,
    filteredBytes most: Int = mostFilteredBytes, work: WorkContext
  ) throws(ImageError) -> Bitmap? {
    guard !file.header.isInterlaced else { return nil }
    let layout = file.layout(of: size, isWide: isWide)
    let filteredBytes = filteredBytes(of: layout)
    guard filteredBytes <= most, dataBytes <= filteredBytes + filteredBytes / 8 + 1024,
      let filtered = try inflated(chunk, dataBytes: dataBytes, to: filteredBytes, of: bytes, work: work)
    else { return nil }
    defer { withExtendedLifetime(filtered) {} }
    try work.checkCancellation()
    let format = PixelFormat(isWide ? .rgba16 : .rgba8, alpha: file.pixelsHaveAlpha ? .straight : .opaque)
    var bitmap = try Bitmap(unfilled: size, format: format)
    return try expand(filtered.bytes.baseAddress!, layout, into: &bitmap, work: work) ? bitmap : nil
  }

  /// The number of bytes of the inflated pixels.
  static func filteredBytes(of layout: easel_png_layout) -> Int {
    var layout = layout
    let (bytes, overflows) = easel_png_filtered_row_bytes(&layout).multipliedReportingOverflow(by: Int(layout.height))
    return overflows ? .max : bytes
  }

  /// Inflates the pixels; returns nil if they are damaged, or if memory is short.
  ///
  /// The compressed bytes are freed before the bitmap is made, so that memory never holds all three forms at once.
  private static func inflated(
    _ chunk: PNGChunk, dataBytes: Int, to filteredBytes: Int, of bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> PooledBuffer? {
    guard let compressed = BufferPool.shared.buffer(ofAtLeast: dataBytes),
      let filtered = BufferPool.shared.buffer(ofAtLeast: filteredBytes),
      let count = try gather(chunk, into: compressed.bytes, of: bytes, work: work)
    else { return nil }
    defer { withExtendedLifetime(compressed) {} }
    let status = easel_png_inflate(compressed.bytes.baseAddress, count, filtered.bytes.baseAddress, filteredBytes)
    return status == EASEL_PNG_OK ? filtered : nil
  }

  /// Joins the compressed pixels of all chunks; returns nil if they are damaged.
  private static func gather(
    _ chunk: PNGChunk, into target: UnsafeMutableRawBufferPointer, of bytes: ImageBytes, work: WorkContext
  ) throws(ImageError) -> Int? {
    var data = PNGDataReader(from: chunk)
    var window = PNGWindow(bytes)
    var count = 0
    while true {
      try work.checkCancellation()
      let free = UnsafeMutableRawBufferPointer(rebasing: target[count...].prefix(1 << 20))
      switch try data.next(of: bytes, &window, into: free) {
      case .bytes(let more): count += more
      case .over: return count
      case .waits, .damaged, .broken: return nil
      }
    }
  }

  private static func expand(
    _ filtered: UnsafeMutableRawPointer, _ layout: easel_png_layout, into bitmap: inout Bitmap, work: WorkContext
  ) throws(ImageError) -> Bool {
    var layout = layout
    let (width, height, bytesPerRow) = (bitmap.width, bitmap.height, bitmap.bytesPerRow)
    return try bitmap.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) throws(ImageError) in
      var first = 0
      while first < height {
        try work.checkCancellation()
        let count = min(height - first, CancellationPace.lines(of: width))
        let status = easel_png_expand_rows(
          &layout, filtered, UInt32(first), UInt32(count), target.baseAddress, bytesPerRow)
        guard status == EASEL_PNG_OK else { return false }
        first += count
      }
      return true
    }
  }
}
