import EaselCoding
import EaselCore
import EaselPixels

/// Converts the rows of a decoded frame a few at a time, crops them, and makes them smaller while they pass.
///
/// Only the decoder's own planes are as large as the picture. If the target has at most half the width and height, the
/// planes are made smaller before they become pixels, which takes a fraction of the time. The matrix between them is
/// linear, so that the picture is the same, only rounded less often. Curves of light come later in both cases.
struct AVIFRows {
  let reader: AVIFReader
  let format: PixelFormat
  let target: PixelSize
  let work: WorkContext

  private var crop: PixelRect { reader.header.crop }
  private var coded: PixelSize { reader.header.codedSize }
  private var isWide: Bool { format.layout == .rgba16 }

  /// The picture of the frame that the reader has decoded.
  func bitmap() throws(ImageError) -> Bitmap {
    if target == crop.size {
      var bitmap = try Bitmap(unfilled: target, format: format)
      try draw(on: &bitmap)
      return bitmap
    }
    return try reduced()
  }

  /// Writes the frame into a bitmap of the target's size.
  func draw(on bitmap: inout Bitmap) throws(ImageError) {
    guard target == crop.size else {
      bitmap = try reduced()
      return
    }
    let bytesPerRow = bitmap.bytesPerRow
    let isWhole = crop.size == coded
    try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      let start = bytes.baseAddress!
      if isWhole {
        try eachStrip { (rows) throws(ImageError) in
          let place = start + rows.lowerBound * bytesPerRow
          try reader.readRows(rows, isWide: isWide, isInPicture: true, into: place, bytesPerRow: bytesPerRow)
        }
      } else {
        var y = 0
        try eachCroppedRow { row in
          (start + y * bytesPerRow).copyMemory(from: row.baseAddress!, byteCount: row.count)
          y += 1
        }
      }
    }
  }

  private func reduced() throws(ImageError) -> Bitmap {
    if 2 * target.width <= crop.width, 2 * target.height <= crop.height,
      let reducer = try reader.reducer(from: crop, to: target, isWide: isWide)
    {
      return try bitmap(by: reducer)
    }
    let reducer = try RowReducer(from: crop.size, to: target, format: format)
    try eachCroppedRow { (row) throws(ImageError) in try reducer.push(row) }
    return reducer.bitmap
  }

  private func bitmap(by reducer: borrowing AVIFReducer) throws(ImageError) -> Bitmap {
    var bitmap = try Bitmap(unfilled: target, format: format)
    let bytesPerRow = bitmap.bytesPerRow
    let rowsAtOnce = max(1, CancellationPace.lines(of: crop.width) * target.height / crop.height)
    try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      for row in stride(from: 0, to: target.height, by: rowsAtOnce) {
        try work.checkCancellation()
        reducer.read(
          min(rowsAtOnce, target.height - row), into: bytes.baseAddress! + row * bytesPerRow, bytesPerRow: bytesPerRow)
      }
    }
    return bitmap
  }

  private func eachCroppedRow(
    _ body: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    let bytesPerPixel = format.bytesPerPixel
    let bytesPerRow = coded.width * bytesPerPixel
    var strip = try Bitmap(unfilled: PixelSize(width: coded.width, height: stripHeight), format: format)
    try eachStrip { (rows) throws(ImageError) in
      try strip.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
        try reader.readRows(rows, isWide: isWide, into: bytes.baseAddress!, bytesPerRow: bytesPerRow)
        for y in rows where y >= crop.y && y < crop.y + crop.height {
          let start = (y - rows.lowerBound) * bytesPerRow + crop.x * bytesPerPixel
          try body(UnsafeRawBufferPointer(rebasing: bytes[start..<start + crop.width * bytesPerPixel]))
        }
      }
    }
  }

  /// Calls `body` with the rows of the coded picture that hold the crop, an even number at a time.
  private func eachStrip(_ body: (Range<Int>) throws(ImageError) -> Void) throws(ImageError) {
    let end = crop.y + crop.height
    for start in stride(from: crop.y & ~1, to: end, by: stripHeight) {
      try work.checkCancellation()
      try body(start..<min(end, start + stripHeight))
    }
  }

  /// Rows of about a quarter of a million pixels.
  private var stripHeight: Int { max(16, CancellationPace.lines(of: coded.width) & ~1) }
}
