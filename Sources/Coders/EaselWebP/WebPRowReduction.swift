import EaselCoding
import EaselCore
import EaselSupport

/// Makes a thumbnail from pixels.
///
/// The memory is as large as all rows, but each piece begins at its start, so only that part of it is ever touched.
final class WebPRowReduction: WebPReduction {
  /// The memory for the rows of one piece.
  static let bytesPerPiece = 256 << 10

  let bytesPerRow: Int
  let portions: Int
  private let rows: PooledBuffer
  private let reducer: RowReducer
  /// The number of rows that are in the thumbnail.
  private var taken = 0

  init(from size: PixelSize, to target: PixelSize, averagesLight: Bool, format: PixelFormat) throws(ImageError) {
    bytesPerRow = size.width * format.bytesPerPixel
    portions = min(32, bytesPerRow * size.height / Self.bytesPerPiece)
    reducer = try RowReducer(from: size, to: target, format: format, averagesLight: averagesLight)
    guard let buffer = BufferPool.shared.buffer(ofAtLeast: bytesPerRow * size.height) else {
      throw ImageError.exhausted("WebP: there is no memory for the rows of a picture of \(size).")
    }
    rows = buffer
  }

  var target: UnsafeMutableRawPointer { rows.bytes.baseAddress! - taken * bytesPerRow }

  func take(upTo end: Int) throws(ImageError) {
    let first = taken
    while taken < end {
      let start = (taken - first) * bytesPerRow
      try reducer.push(UnsafeRawBufferPointer(rebasing: rows.bytes[start..<start + bytesPerRow]))
      taken += 1
    }
  }

  func finish() -> Bitmap { reducer.bitmap }
}
