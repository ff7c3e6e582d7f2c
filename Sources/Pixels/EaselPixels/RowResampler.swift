import CEaselPixels
import EaselCore

/// Resizes a picture whose rows arrive one after another, for example from a decoder.
///
/// It holds only the few rows that its filter needs, never the whole picture. Its rows are bit for bit those of
/// resizing a whole ``EaselCore/Bitmap``. Push each row, then pull until no more rows are ready. It is public for
/// coders in other packages, which use it to decode at a smaller size.
public struct RowResampler: ~Copyable {
  /// The size of the picture whose rows are pushed.
  public let sourceSize: PixelSize
  /// The size of the picture whose rows are pulled.
  public let targetSize: PixelSize
  /// The format of both pictures.
  public let format: PixelFormat

  private let resampler: OpaquePointer

  /// Prepares the filter for a change from one size to another.
  ///
  /// `box` is the part of the source that fills the target, by default all of it. With `linearLight`, the filter
  /// weights light instead of sRGB values.
  public init(
    from sourceSize: PixelSize, to targetSize: PixelSize, format: PixelFormat,
    filter: Bitmap.ResampleFilter = .lanczos3, box: RowResampler.Box? = nil, linearLight: Bool = false
  ) throws(ImageError) {
    let box = box ?? RowResampler.Box(PixelRect(covering: sourceSize))
    guard !sourceSize.isEmpty, !targetSize.isEmpty else {
      throw ImageError(.transformFailed, "A picture of \(sourceSize) cannot be resized to \(targetSize).")
    }
    var spec = easel_resample_spec(
      format: format.kernel, alpha: format.kernelAlpha, filter: filter.kernel, source_width: sourceSize.width,
      source_height: sourceSize.height, box_x: box.x, box_y: box.y, box_width: box.width, box_height: box.height,
      width: targetSize.width, height: targetSize.height, linear_light: linearLight)
    var made: OpaquePointer?
    try check(easel_resampler_create(&spec, &made), "resize from \(sourceSize) to \(targetSize)")
    guard let made else {
      throw ImageError.exhausted("There is no memory to resize from \(sourceSize) to \(targetSize).")
    }
    resampler = made
    self.sourceSize = sourceSize
    self.targetSize = targetSize
    self.format = format
  }

  deinit { easel_resampler_destroy(resampler) }

  /// The source rows that affect the result; others may be skipped.
  public var neededRows: Range<Int> { easel_resampler_first_row(resampler)..<easel_resampler_end_row(resampler) }

  /// The number of rows pushed or skipped.
  public var pushedRows: Int { easel_resampler_pushed_rows(resampler) }

  /// The number of rows pulled.
  public var pulledRows: Int { easel_resampler_pulled_rows(resampler) }

  /// True once all rows of the target were pulled.
  public var isFinished: Bool { pulledRows == targetSize.height }

  /// The number of bytes of memory that the resampler holds.
  public var memoryCost: Int { easel_resampler_bytes(resampler) }

  /// Takes the next source row; pull all rows that are ready before.
  public mutating func push(_ row: UnsafeRawBufferPointer) throws(ImageError) {
    precondition(row.count >= sourceSize.width * format.bytesPerPixel, "The row is too short.")
    try check(
      easel_resampler_push_row(resampler, row.baseAddress), "take more rows before the finished rows are pulled")
  }

  /// Skips the rows before `row`, which must not affect the result.
  public mutating func skip(toRow row: Int) { easel_resampler_skip_to_row(resampler, row) }

  /// Writes the next target row if enough rows were pushed; otherwise returns false.
  public mutating func pull(into row: UnsafeMutableRawBufferPointer) -> Bool {
    precondition(row.count >= targetSize.width * format.bytesPerPixel, "The row is too short.")
    return easel_resampler_pull_row(resampler, row.baseAddress)
  }

  /// Restarts for another picture of the same size and format.
  public mutating func reset() { easel_resampler_reset(resampler) }
}
