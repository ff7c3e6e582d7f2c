import CEaselTIFF
import EaselCoding
import EaselCore
import EaselPixels

/// Reads the rows of the selected picture a few at a time, and makes them smaller while they pass.
struct TIFFRows {
  let reader: TIFFReader
  let size: PixelSize
  let format: PixelFormat
  let target: PixelSize
  let cmyk: CMYKConversion?
  let work: WorkContext

  private static let stripBytes = 128 << 10

  private var isWide: Bool { format.layout == .rgba16 }

  /// The picture, and the number of its rows of which some pixels could be read.
  func bitmap() throws(ImageError) -> (bitmap: Bitmap, goodRows: Int) {
    guard target == size else { return try reduced() }
    var (bitmap, good) = try whole()
    if reader.damage != nil && format.alpha == .opaque { bitmap.assumeAlpha(.straight) }
    return (bitmap, good)
  }

  private func whole() throws(ImageError) -> (Bitmap, Int) {
    var bitmap = try Bitmap(unfilled: size, format: format)
    let bytesPerRow = bitmap.bytesPerRow
    var good = 0
    try bitmap.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      var y = 0
      while y < size.height {
        try work.checkCancellation()
        let rows = try read(
          into: bytes.baseAddress! + y * bytesPerRow, bytesPerRow: bytesPerRow,
          atMost: min(rowsAtOnce, size.height - y))
        y += rows.count
        good += rows.good
      }
    }
    return (bitmap, good)
  }

  private func reduced() throws(ImageError) -> (Bitmap, Int) {
    let reducer = try RowReducer(from: size, to: target, format: format)
    let rowBytes = size.width * format.bytesPerPixel
    // Few enough rows to stay near the processor until they are reduced, and to take little memory.
    let rowsInStrip = max(1, min(rowsAtOnce, size.height, Self.stripBytes / rowBytes))
    var strip = try Bitmap(unfilled: PixelSize(width: size.width, height: rowsInStrip), format: format)
    let bytesPerRow = strip.bytesPerRow
    var good = 0
    try strip.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(ImageError) in
      var y = 0
      while y < size.height {
        try work.checkCancellation()
        let rows = try read(
          into: bytes.baseAddress!, bytesPerRow: bytesPerRow, atMost: min(rowsInStrip, size.height - y))
        for row in 0..<rows.count {
          let start = row * bytesPerRow
          try reducer.push(UnsafeRawBufferPointer(rebasing: bytes[start..<start + rowBytes]))
        }
        y += rows.count
        good += rows.good
      }
    }
    return (reducer.bitmap, good)
  }

  /// Rows of about a quarter of a million pixels, or of fewer if they are wide.
  private var rowsAtOnce: Int { max(1, min(256, CancellationPace.lines(of: size.width))) }

  private func read(
    into target: UnsafeMutableRawPointer, bytesPerRow: Int, atMost most: Int
  ) throws(ImageError) -> (count: Int, good: Int) {
    guard let cmyk else {
      return try nonEmpty(reader.readRows(most, isWide: isWide, into: target, bytesPerRow: bytesPerRow))
    }
    var alpha = [UInt8](repeating: 0, count: size.width * most)
    let result = alpha.withUnsafeMutableBufferPointer { alpha in
      Result<(count: Int, good: Int), ImageError> { () throws(ImageError) in
        let rows = try nonEmpty(
          reader.readRows(most, isWide: false, into: target, bytesPerRow: bytesPerRow, alpha: alpha.baseAddress))
        for row in 0..<rows.count {
          cmyk.convert(
            UnsafeMutableRawBufferPointer(start: target + row * bytesPerRow, count: 4 * size.width),
            alpha: alpha.baseAddress! + row * size.width)
        }
        return rows
      }
    }
    return try result.get()
  }

  private func nonEmpty(_ rows: (count: Int, good: Int)) throws(ImageError) -> (count: Int, good: Int) {
    guard rows.count > 0 else { throw .bad("TIFF", "the pixels end before the last row") }
    return rows
  }
}
