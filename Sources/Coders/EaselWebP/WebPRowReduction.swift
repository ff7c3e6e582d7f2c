import EaselCoding
import EaselCore

/// Makes a thumbnail of the rows that libwebp has finished, in memory for little more than the rows of one piece.
///
/// The memory is as large as all rows, but each piece begins at its start again, so only that part of it is ever touched.
final class WebPRowReduction {
  /// The memory that the rows of one piece should take.
  static let bytesPerPiece = 256 << 10

  let bytesPerRow: Int
  private let rows: PooledBuffer
  private let reducer: RowReducer
  /// The number of rows that are in the thumbnail.
  private var taken = 0

  init(from size: PixelSize, to target: PixelSize, format: PixelFormat) throws(ImageError) {
    bytesPerRow = size.width * format.bytesPerPixel
    reducer = try RowReducer(from: size, to: target, format: format)
    guard let buffer = BufferPool.shared.buffer(ofAtLeast: bytesPerRow * size.height) else {
      throw ImageError.exhausted("WebP: there is no memory for the rows of a picture of \(size).")
    }
    rows = buffer
  }

  /// The place of the picture's first row, such that the first unfinished row is at the start of the memory.
  var target: UnsafeMutableRawPointer { rows.bytes.baseAddress! - taken * bytesPerRow }

  /// Takes the finished rows that were not taken yet.
  func take(upTo end: Int) throws(ImageError) {
    let first = taken
    while taken < end {
      let start = (taken - first) * bytesPerRow
      try reducer.push(UnsafeRawBufferPointer(rebasing: rows.bytes[start..<start + bytesPerRow]))
      taken += 1
    }
  }

  var bitmap: Bitmap { reducer.bitmap }
}
