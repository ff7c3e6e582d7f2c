import EaselCoding
import EaselCore
import EaselPixels

/// Collects the rows of a picture, or makes the picture smaller while they arrive.
final class ImageRows {
  /// The number of rows so far.
  private(set) var count = 0
  let size: PixelSize
  let format: PixelFormat

  private let isBottomUp: Bool
  /// The picture, or only one row if the picture is made smaller.
  private var bitmap: Bitmap
  private let reducer: RowReducer?
  private var pace: CancellationPace

  /// Creates the collection; with `isBottomUp`, the lowest row comes first.
  init(
    _ size: PixelSize, format: PixelFormat, target: PixelSize, averagesLight: Bool, isBottomUp: Bool,
    work: WorkContext
  ) throws(ImageError) {
    self.size = size
    self.format = format
    self.isBottomUp = isBottomUp
    pace = CancellationPace(work)
    let isReduced = target != size
    reducer =
      isReduced ? try RowReducer(from: size, to: target, format: format, averagesLight: averagesLight) : nil
    bitmap = try Bitmap(
      unfilled: PixelSize(width: size.width, height: isReduced ? 1 : size.height), format: format)
  }

  var isComplete: Bool { count == size.height }

  /// A number that grows with the visible rows.
  var progress: Int { reducer?.finishedRows ?? count }

  /// Takes the next row; `fill` writes its pixels into memory, and returns false if there is no whole row.
  ///
  /// The result is that of `fill`.
  func push(
    _ fill: (UnsafeMutableRawBufferPointer) throws(ImageError) -> Bool
  ) throws(ImageError) -> Bool {
    try pace.step(pixels: size.width)
    let rowBytes = size.width * format.bytesPerPixel
    let start = isReduced ? 0 : (isBottomUp ? size.height - 1 - count : count) * bitmap.bytesPerRow
    let isWhole = try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      let row = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + rowBytes])
      guard try fill(row) else { return false }
      try reducer?.push(UnsafeRawBufferPointer(row))
      return true
    }
    if isWhole { count += 1 }
    return isWhole
  }

  private var isReduced: Bool { reducer != nil }

  /// The picture so far; missing rows are transparent.
  func result(work: WorkContext) throws(ImageError) -> Bitmap {
    var result = bitmap
    if let reducer {
      result = reducer.bitmap
      // The rows of a full picture are already in their places.
      if isBottomUp { result = try result.oriented(.downMirrored, work: work) }
    } else if !isComplete {
      result = try cutOff()
    }
    if !isComplete && format.alpha == .opaque { result.assumeAlpha(.straight) }
    return result
  }

  /// A picture with the rows so far; the missing rows take no memory, because nobody writes to them.
  private func cutOff() throws(ImageError) -> Bitmap {
    var result = try Bitmap(size: size, format: format)
    let first = isBottomUp ? size.height - count : 0
    let (source, target) = (bitmap.bytesPerRow, result.bytesPerRow)
    bitmap.withUnsafeBytes { from in
      result.withUnsafeMutableBytes { to in
        for y in first..<first + count {
          let row = from[y * source..<y * source + size.width * format.bytesPerPixel]
          UnsafeMutableRawBufferPointer(rebasing: to[(y * target)...]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: row))
        }
      }
    }
    return result
  }
}

extension Array where Element: BitwiseCopyable {
  /// Pushes the pixels to the rows of a picture with the same layout.
  func pushed(to rows: ImageRows) throws(ImageError) {
    guard !rows.isComplete else { return }
    _ = try rows.push { target in
      withUnsafeBytes { target.copyMemory(from: $0) }
      return true
    }
  }
}
