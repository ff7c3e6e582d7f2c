import CEaselJPEG
import EaselCoding
import EaselCore
import EaselPixels
import EaselSupport
import Glibc

/// Collects the rows of one pass over the picture, in a bitmap of their size or in one that is reduced as they pass.
final class JPEGRows {
  /// Reads rows into `target` and sets `count` to their number.
  typealias Reading = (
    _ target: UnsafeMutableRawPointer, _ bytesPerRow: Int, _ most: UInt32, _ count: inout UInt32
  ) throws(ImageError) -> easel_jpeg_status

  private let size: PixelSize
  private let cmyk: CMYKConversion?
  private var full: Bitmap?
  private let reducer: RowReducer?
  private let passing: PooledBuffer?
  /// The number of rows read.
  private var count = 0
  private var isCleared = false

  private static let passingRows = 16

  /// `box` is the part of the rows that fills the target.
  init(
    of size: PixelSize, box: RowResampler.Box, target: PixelSize, averagesLight: Bool, cmyk: CMYKConversion?
  ) throws(ImageError) {
    self.size = size
    self.cmyk = cmyk
    guard target != size else {
      full = try Bitmap(unfilled: size, format: .opaqueRGBA8)
      reducer = nil
      passing = nil
      return
    }
    guard let passing = BufferPool.shared.buffer(ofAtLeast: size.width * 4 * Self.passingRows) else {
      throw ImageError.exhausted("JPEG: there is no memory for rows of \(size.width) pixels.")
    }
    self.passing = passing
    reducer = try RowReducer(
      from: size, to: target, format: .opaqueRGBA8, box: box, averagesLight: averagesLight)
  }

  var isComplete: Bool { count == size.height }

  /// The number of finished rows in the result.
  var progress: Int { reducer?.finishedRows ?? count }

  /// The picture so far; missing rows are transparent.
  var bitmap: Bitmap {
    if !isComplete && !isCleared { clearMissingRows() }
    var bitmap = reducer?.bitmap ?? full!
    if !isComplete { bitmap.assumeAlpha(.straight) }
    return bitmap
  }

  /// Reads the next rows, about a millisecond of work.
  func take(_ most: Int, _ read: Reading) throws(ImageError) -> easel_jpeg_status {
    try reducer == nil ? fill(min(most, size.height - count), read) : pass(read)
  }

  private func fill(_ most: Int, _ read: Reading) throws(ImageError) -> easel_jpeg_status {
    let bytesPerRow = full!.bytesPerRow
    let offset = count * bytesPerRow
    var got: UInt32 = 0
    let status = try full!.withUnsafeMutableBytes { (bytes) throws(ImageError) in
      let start = bytes.baseAddress! + offset
      let status = try read(start, bytesPerRow, UInt32(most), &got)
      for row in 0..<Int(got) { convert(start + row * bytesPerRow) }
      return status
    }
    count += Int(got)
    // The library may have written to some of the missing rows.
    if status == EASEL_JPEG_ENDED { isCleared = false }
    return status
  }

  private func pass(_ read: Reading) throws(ImageError) -> easel_jpeg_status {
    defer { withExtendedLifetime(passing) {} }
    let start = passing!.bytes.baseAddress!
    let bytesPerRow = size.width * 4
    var got: UInt32 = 0
    let status = try read(start, bytesPerRow, UInt32(Self.passingRows), &got)
    for row in 0..<Int(got) {
      convert(start + row * bytesPerRow)
      try reducer!.push(UnsafeRawBufferPointer(start: start + row * bytesPerRow, count: bytesPerRow))
    }
    count += Int(got)
    return status
  }

  private func convert(_ row: UnsafeMutableRawPointer) {
    cmyk?.convert(UnsafeMutableRawBufferPointer(start: row, count: size.width * 4))
  }

  /// Clears the missing rows, whose memory may hold parts of another picture.
  private func clearMissingRows() {
    isCleared = true
    guard let bytesPerRow = full?.bytesPerRow else { return }
    let start = count * bytesPerRow
    full?.withUnsafeMutableBytes { bytes in
      _ = memset(bytes.baseAddress! + start, 0, bytes.count - start)
    }
  }
}
