import EaselCoding
import EaselCore
import EaselPixels

/// Makes pixels of the rows of a picture a few at a time, crops them, and makes them smaller while they pass.
struct HEIFRows {
  let bands: HEIFBands
  let alpha: HEIFAlpha?
  let crop: PixelRect
  let format: PixelFormat
  let target: PixelSize
  /// The numbers that make red, green and blue of what is stored.
  let weights: [Float]
  let work: WorkContext

  private var size: PixelSize { bands.layout.size }
  private var isWide: Bool { format.layout == .rgba16 }

  /// The picture at the size of the target.
  func bitmap() throws(ImageError) -> Bitmap {
    guard target == crop.size else {
      if alpha == nil, !isWide, let reduction = try HEIFReduction(bands, crop: crop, to: target) {
        return try reduction.bitmap(weights: weights, work: work)
      }
      let reducer = try RowReducer(from: crop.size, to: target, format: format)
      try eachCroppedRow { (row, _) throws(ImageError) in try reducer.push(row) }
      return reducer.bitmap
    }
    var bitmap = try Bitmap(unfilled: target, format: format)
    let bytesPerRow = bitmap.bytesPerRow
    try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      let start = bytes.baseAddress!
      if crop.size == size {
        try eachStrip { (rows) throws(ImageError) in
          try write(rows, to: start + rows.lowerBound * bytesPerRow, bytesPerRow: bytesPerRow)
        }
      } else {
        try eachCroppedRow { (row, y) throws(ImageError) in
          (start + y * bytesPerRow).copyMemory(from: row.baseAddress!, byteCount: row.count)
        }
      }
    }
    return bitmap
  }

  private func eachCroppedRow(
    _ body: (UnsafeRawBufferPointer, Int) throws(ImageError) -> Void
  ) throws(ImageError) {
    let bytesPerPixel = format.bytesPerPixel
    let bytesPerRow = size.width * bytesPerPixel
    var strip = try Bitmap(unfilled: PixelSize(width: size.width, height: stripHeight), format: format)
    try eachStrip { (rows) throws(ImageError) in
      let rows = rows.clamped(to: crop.y..<crop.y + crop.height)
      guard !rows.isEmpty else { return }
      try strip.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
        try write(rows, to: bytes.baseAddress!, bytesPerRow: bytesPerRow)
        for y in rows {
          let start = (y - rows.lowerBound) * bytesPerRow + crop.x * bytesPerPixel
          let row = UnsafeRawBufferPointer(rebasing: bytes[start..<start + crop.width * bytesPerPixel])
          try body(row, y - crop.y)
        }
      }
    }
  }

  /// Calls `body` with all rows down to the end of the crop, a few at a time.
  private func eachStrip(_ body: (Range<Int>) throws(ImageError) -> Void) throws(ImageError) {
    let end = crop.y + crop.height
    var y = 0
    while y < end {
      if y == bands.rows.upperBound { try bands.advance() }
      let last = min(end, y + stripHeight, bands.rows.upperBound, try alpha?.rows(from: y) ?? end)
      try work.checkCancellation()
      try body(y..<last)
      y = last
    }
  }

  private func write(_ rows: Range<Int>, to target: UnsafeMutableRawPointer, bytesPerRow: Int) throws(ImageError) {
    try bands.withPlanes { (planes, first) throws(ImageError) in
      try planes.writeRGBA(
        rows.lowerBound - first..<rows.upperBound - first, weights: weights, isWide: isWide, to: target,
        bytesPerRow: bytesPerRow)
    }
    try alpha?.write(rows, isWide: isWide, to: target, bytesPerRow: bytesPerRow)
  }

  /// Rows of about a quarter of a million pixels.
  private var stripHeight: Int { max(16, CancellationPace.lines(of: size.width) & ~1) }
}
