import CEaselPixels
import EaselCore

/// Changes the size of a picture whose rows come one after another, as a decoder makes them.
///
/// It holds the few rows that its filter weighs, never the picture, and gives the rows that ``EaselCore/Bitmap`` gives
/// when it is resized as a whole, bit for bit. Push each row, then pull until there is nothing more to pull.
public struct RowResampler: ~Copyable {
  /// The width of the rows that are pushed.
  public let sourceSize: PixelSize
  /// The size of what is pulled.
  public let targetSize: PixelSize
  /// The format of both.
  public let format: PixelFormat

  private let resampler: OpaquePointer

  /// Creates a resampler.
  ///
  /// `box` is the part of the source that fills the target, all of it by default. With `linearLight` it is light that
  /// is weighed instead of sRGB values.
  public init(
    from sourceSize: PixelSize, to targetSize: PixelSize, format: PixelFormat, filter: ResampleFilter = .lanczos3,
    box: PixelBox? = nil, linearLight: Bool = false
  ) throws(ImageError) {
    let box = box ?? PixelBox(PixelRect(covering: sourceSize))
    guard !sourceSize.isEmpty, !targetSize.isEmpty else {
      throw ImageError(.transformFailed, "A picture of \(sourceSize) cannot become one of \(targetSize).")
    }
    var spec = easel_resample_spec(
      format: format.kernel, alpha: format.kernelAlpha, filter: filter.kernel, source_width: sourceSize.width,
      source_height: sourceSize.height, box_x: box.x, box_y: box.y, box_width: box.width, box_height: box.height,
      width: targetSize.width, height: targetSize.height, linear_light: linearLight)
    var made: OpaquePointer?
    try check(easel_resampler_create(&spec, &made), "resize from \(sourceSize) to \(targetSize)")
    guard let made else {
      throw ImageError(.limitExceeded, "There is no memory to resize from \(sourceSize) to \(targetSize).")
    }
    resampler = made
    self.sourceSize = sourceSize
    self.targetSize = targetSize
    self.format = format
  }

  deinit { easel_resampler_destroy(resampler) }

  /// The rows of the source that have any influence; others may be skipped.
  public var neededRows: Range<Int> { easel_resampler_first_row(resampler)..<easel_resampler_end_row(resampler) }

  /// The number of rows that were pushed or skipped.
  public var pushedRows: Int { easel_resampler_pushed_rows(resampler) }

  /// The number of rows that were pulled.
  public var pulledRows: Int { easel_resampler_pulled_rows(resampler) }

  /// Whether every row of the target was pulled.
  public var isFinished: Bool { pulledRows == targetSize.height }

  /// The bytes of memory that it holds.
  public var memoryCost: Int { easel_resampler_bytes(resampler) }

  /// Takes the next row of the source; every row that is ready must have been pulled.
  public mutating func push(_ row: UnsafeRawBufferPointer) throws(ImageError) {
    precondition(row.count >= sourceSize.width * format.bytesPerPixel, "The row is too short.")
    try check(
      easel_resampler_push_row(resampler, row.baseAddress), "resize rows before those that are ready are pulled")
  }

  /// Counts the rows before this one as pushed, for rows that have no influence.
  public mutating func skip(toRow row: Int) { easel_resampler_skip_to_row(resampler, row) }

  /// Writes the next row of the target, if the rows pushed so far decide it; returns whether they do.
  public mutating func pull(into row: UnsafeMutableRawBufferPointer) -> Bool {
    precondition(row.count >= targetSize.width * format.bytesPerPixel, "The row is too short.")
    return easel_resampler_pull_row(resampler, row.baseAddress)
  }

  /// Starts afresh with another picture of the same size and format.
  public mutating func reset() { easel_resampler_reset(resampler) }
}
