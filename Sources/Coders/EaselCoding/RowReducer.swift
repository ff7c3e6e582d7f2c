import EaselCore
import EaselPixels

/// Makes a smaller picture from rows that arrive one after another, without ever holding the large picture.
public final class RowReducer {
  /// The picture so far; unfinished rows are zero.
  public private(set) var bitmap: Bitmap
  private var resampler: RowResampler

  /// Creates a reducer for rows of a format.
  ///
  /// `box` is the part of the source that fills the target, by default the whole source. With `averagesLight`, numbers
  /// of sRGB become light before they are averaged; see ``ImageFinish/averagesLight``.
  public init(
    from source: PixelSize, to target: PixelSize, format: PixelFormat, box: RowResampler.Box? = nil,
    averagesLight: Bool = false
  ) throws(ImageError) {
    resampler = try RowResampler(from: source, to: target, format: format, box: box, linearLight: averagesLight)
    bitmap = try Bitmap(size: target, format: format)
  }

  /// Takes the next row.
  public func push(_ row: UnsafeRawBufferPointer) throws(ImageError) {
    guard !resampler.isFinished else { return }
    pull()
    try resampler.push(row)
    pull()
  }

  /// The number of finished rows in the result.
  public var finishedRows: Int { resampler.pulledRows }

  private func pull() {
    let bytesPerRow = bitmap.bytesPerRow
    while !resampler.isFinished {
      let start = resampler.pulledRows * bytesPerRow
      let hasPulled = bitmap.withUnsafeMutableBytes { bytes in
        resampler.pull(into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...].prefix(bytesPerRow)))
      }
      if !hasPulled { return }
    }
  }
}
