import EaselCore
import EaselPixels

/// Makes a picture from rows that a decoder writes a few at a time.
///
/// The picture is whole, cropped, or reduced on the way.
package struct RowStrips {
  /// Memory for rows.
  package struct Strip {
    /// The wanted rows, in the numbering of the decoder.
    package let rows: Range<Int>
    package let start: UnsafeMutableRawPointer
    package let bytesPerRow: Int
    /// True if the memory belongs to the whole picture, so that the rows above are present and the rows below have
    /// room.
    package let isInPicture: Bool
  }

  /// Writes at least the first row of a strip and at most all rows; returns the number of rows.
  package typealias Writer = (Strip) throws(ImageError) -> Int

  private let size: PixelSize
  private let crop: PixelRect
  private let format: PixelFormat
  private let target: PixelSize
  private let averagesLight: Bool
  private let rowsAtOnce: Int
  private let work: WorkContext

  /// The size of the memory for rows that are reduced, small enough for the cache of the processor.
  private static let stripBytes = 128 << 10

  /// `size` is the size of the decoder's picture.
  ///
  /// `crop` is the part that is shown, by default the whole.
  package init(
    of size: PixelSize, crop: PixelRect? = nil, format: PixelFormat, target: PixelSize, averagesLight: Bool,
    rowsAtOnce: Int? = nil, work: WorkContext
  ) {
    (self.size, self.format, self.target, self.work) = (size, format, target, work)
    self.averagesLight = averagesLight
    self.crop = crop ?? PixelRect(covering: size)
    let lines = CancellationPace.lines(of: size.width)
    let few = max(1, min(lines, Self.stripBytes / (size.width * format.bytesPerPixel)))
    self.rowsAtOnce = rowsAtOnce ?? (target == self.crop.size ? lines : few)
  }

  /// Makes the picture from the rows that `write` delivers.
  package func bitmap(_ write: Writer) throws(ImageError) -> Bitmap {
    guard target == crop.size else {
      let reducer = try RowReducer(from: crop.size, to: target, format: format, averagesLight: averagesLight)
      try eachCroppedRow(write) { (row, _) throws(ImageError) in try reducer.push(row) }
      return reducer.bitmap
    }
    var bitmap = try Bitmap(unfilled: target, format: format)
    try draw(on: &bitmap, write)
    return bitmap
  }

  /// Writes the picture into a bitmap of the target's size.
  package func draw(on bitmap: inout Bitmap, _ write: Writer) throws(ImageError) {
    guard target == crop.size else {
      bitmap = try self.bitmap(write)
      return
    }
    let bytesPerRow = bitmap.bytesPerRow
    try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      let start = bytes.baseAddress!
      guard crop.size == size else {
        return try eachCroppedRow(write) { row, y in
          (start + y * bytesPerRow).copyMemory(from: row.baseAddress!, byteCount: row.count)
        }
      }
      try eachStrip { (rows) throws(ImageError) in
        try write(
          Strip(rows: rows, start: start + rows.lowerBound * bytesPerRow, bytesPerRow: bytesPerRow, isInPicture: true))
      }
    }
  }

  /// Calls `body` with each row of the crop and the number of this row in the crop.
  private func eachCroppedRow(
    _ write: Writer, _ body: (UnsafeRawBufferPointer, Int) throws(ImageError) -> Void
  ) throws(ImageError) {
    let bytesPerPixel = format.bytesPerPixel
    var memory = try Bitmap(
      unfilled: PixelSize(width: size.width, height: min(rowsAtOnce, size.height)), format: format)
    let bytesPerRow = memory.bytesPerRow
    try memory.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      try eachStrip { (rows) throws(ImageError) in
        let count = try write(
          Strip(rows: rows, start: bytes.baseAddress!, bytesPerRow: bytesPerRow, isInPicture: false))
        for y in rows.prefix(count) where y >= crop.y {
          let start = (y - rows.lowerBound) * bytesPerRow + crop.x * bytesPerPixel
          try body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + crop.width * bytesPerPixel]), y - crop.y)
        }
        return count
      }
    }
  }

  /// Calls `body` with the rows that hold the crop, starting at an even row; `body` returns the number of rows that it
  /// took.
  private func eachStrip(_ body: (Range<Int>) throws(ImageError) -> Int) throws(ImageError) {
    var y = crop.y & ~1
    let end = crop.y + crop.height
    while y < end {
      try work.checkCancellation()
      y += try body(y..<min(end, y + rowsAtOnce))
    }
  }
}
