import EaselCoding
import EaselCore
import EaselPixels

/// Collects the rows of a picture, or makes them smaller while they pass.
final class PictureRows {
  /// The number of rows so far.
  private(set) var count = 0
  let size: PixelSize
  let format: PixelFormat

  private let isBottomUp: Bool
  private var full: Bitmap?
  private let reducer: RowReducer?
  private var pace: CancellationPace

  /// With `isBottomUp`, the lowest row comes first.
  init(
    _ size: PixelSize, format: PixelFormat, target: PixelSize, isBottomUp: Bool, work: WorkContext
  ) throws(ImageError) {
    self.size = size
    self.format = format
    self.isBottomUp = isBottomUp
    pace = CancellationPace(work)
    if target == size {
      full = try Bitmap(size: size, format: format)
      reducer = nil
    } else {
      reducer = try RowReducer(from: size, to: target, format: format)
    }
  }

  var isComplete: Bool { count == size.height }

  /// Grows with the rows that can be seen.
  var progress: Int { reducer?.finishedRows ?? count }

  /// Takes the next row.
  func push(_ row: UnsafeRawBufferPointer) throws(ImageError) {
    guard !isComplete else { return }
    try pace.step(pixels: size.width)
    if let reducer {
      try reducer.push(row)
    } else {
      let y = isBottomUp ? size.height - 1 - count : count
      let start = y * full!.bytesPerRow
      full!.withUnsafeMutableBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + row.count]).copyMemory(from: row)
      }
    }
    count += 1
  }

  /// The picture so far; missing rows are transparent.
  func bitmap(work: WorkContext) throws(ImageError) -> Bitmap {
    var bitmap = full ?? reducer!.bitmap
    // The rows of a full picture are already at their places.
    if isBottomUp && full == nil { bitmap = try bitmap.oriented(.downMirrored, work: work) }
    if !isComplete && format.alpha == .opaque { bitmap.assumeAlpha(.straight) }
    return bitmap
  }
}

extension Array where Element: BitwiseCopyable {
  /// Gives these pixels to the rows of a picture, which have their layout.
  func pushed(to rows: PictureRows) throws(ImageError) {
    let result = withUnsafeBytes { bytes in
      Result<Void, ImageError> { () throws(ImageError) in try rows.push(bytes) }
    }
    try result.get()
  }
}
