import EaselCoding
import EaselCore

/// Makes a picture smaller while its rows pass.
///
/// Unchecked because libjxl's threads pass rows one at a time, and nobody else uses it before the last.
final class JXLRows: @unchecked Sendable {
  private let reducer: RowReducer
  private(set) var failure: ImageError?

  init(from source: PixelSize, to target: PixelSize, format: PixelFormat) throws(ImageError) {
    reducer = try RowReducer(from: source, to: target, format: format)
  }

  /// The picture, after the last row.
  var bitmap: Bitmap { reducer.bitmap }

  /// True when every row has come.
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
