import CEaselPNG
import EaselCoding
import EaselCore

/// Turns compressed pixels into the rows of a picture, a piece at a time.
///
/// The picture is made at full size, or reduced row by row. An interlaced picture needs its full size.
final class PNGRows {
  private let layout: easel_png_layout
  private let format: PixelFormat
  private let target: PixelSize
  private let averagesLight: Bool
  private let rows: OpaquePointer
  private var full: Bitmap?
  private var reducer: RowReducer?
  private var failure: ImageError?

  init(
    _ layout: easel_png_layout, format: PixelFormat, target: PixelSize, averagesLight: Bool
  ) throws(ImageError) {
    var description = layout
    var made: OpaquePointer?
    let status = easel_png_rows_create(&description, &made)
    guard status == EASEL_PNG_OK, let made else { throw Self.noMemory(for: layout) }
    self.layout = layout
    self.format = format
    self.target = target
    self.averagesLight = averagesLight
    rows = made
    try makePicture()
  }

  private func makePicture() throws(ImageError) {
    let size = PixelSize(width: Int(layout.width), height: Int(layout.height))
    let reduces = target != size && !layout.is_interlaced
    full = reduces ? nil : try Bitmap(size: size, format: format)
    reducer =
      reduces ? try RowReducer(from: size, to: target, format: format, averagesLight: averagesLight) : nil
  }

  /// True if reports of damage, and the rows before the damage, are reliable.
  var areStrict: Bool { easel_png_rows_are_strict(rows) }

  /// Forgets all rows; the caller must pass all compressed pixels again.
  func restartStrictly() throws(ImageError) {
    // The old picture is freed first, so that two pictures never exist at once.
    (full, reducer) = (nil, nil)
    try makePicture()
    guard easel_png_rows_restart_strictly(rows) == EASEL_PNG_OK else { throw Self.noMemory(for: layout) }
  }

  private static func noMemory(for layout: easel_png_layout) -> ImageError {
    ImageError.exhausted("PNG: there is no memory to read a picture of \(layout.width)x\(layout.height).")
  }

  deinit { easel_png_rows_destroy(rows) }

  /// The picture so far, at the target's size if possible; missing rows are zero.
  var bitmap: Bitmap { reducer?.bitmap ?? full! }

  var isComplete: Bool { easel_png_rows_are_complete(rows) }

  /// A number that grows with every new row.
  var progress: Int { reducer?.finishedRows ?? Int(easel_png_rows_progress(rows)) }

  /// Takes the next piece; returns a description of damage, or nil without damage.
  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> String? {
    let status: easel_png_status
    if full == nil {
      status = easel_png_rows_feed(
        rows, bytes.baseAddress, bytes.count, nil, 0, Self.push, Unmanaged.passUnretained(self).toOpaque())
      if let failure { throw failure }
    } else {
      let bytesPerRow = full!.bytesPerRow
      status = full!.withUnsafeMutableBytes { target in
        easel_png_rows_feed(rows, bytes.baseAddress, bytes.count, target.baseAddress, bytesPerRow, nil, nil)
      }
    }
    if status == EASEL_PNG_OK { return nil }
    let reason = String(cString: easel_png_rows_message(rows))
    return "the pixels cannot be read (\(reason))"
  }

  private static let push: easel_png_row_handler = { context, row, _ in
    let rows = Unmanaged<PNGRows>.fromOpaque(context!).takeUnretainedValue()
    guard rows.failure == nil, let row else { return }
    let count = Int(rows.layout.width) * (rows.layout.is_wide ? 8 : 4)
    do throws(ImageError) {
      try rows.reducer?.push(UnsafeRawBufferPointer(start: row, count: count))
    } catch {
      rows.failure = error
    }
  }
}
