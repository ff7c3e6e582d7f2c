import EaselCoding
import EaselCore

/// Reduces a picture row by row.
///
/// The class is unchecked because libjxl's threads pass one row at a time, and no other code uses it before the last
/// row.
final class JXLRows: @unchecked Sendable {
  private let reducer: RowReducer
  private(set) var failure: ImageError?

  init(from source: PixelSize, to target: PixelSize, averagesLight: Bool, format: PixelFormat) throws(ImageError) {
    reducer = try RowReducer(from: source, to: target, format: format, averagesLight: averagesLight)
  }

  /// The picture; complete after the last row.
  var bitmap: Bitmap { reducer.bitmap }

  /// True if every row has arrived.
  var isComplete: Bool { reducer.finishedRows == reducer.bitmap.height }

  func take(_ row: UnsafeRawBufferPointer) -> Bool {
    do throws(ImageError) {
      try reducer.push(row)
      return true
    } catch {
      failure = error
      return false
    }
  }
}
