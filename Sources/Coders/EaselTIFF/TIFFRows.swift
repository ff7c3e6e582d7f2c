import EaselCoding
import EaselCore
import EaselPixels

/// Reads the rows of the selected picture a few at a time, and reduces them on the way.
struct TIFFRows {
  let reader: TIFFReader
  let size: PixelSize
  /// The part of these rows that is shown; nil for all of them.
  var crop: PixelRect?
  let format: PixelFormat
  let target: PixelSize
  let averagesLight: Bool
  let cmyk: CMYKConversion?
  let work: WorkContext

  private var isWide: Bool { format.layout == .rgba16 }

  /// The picture, and the number of rows of which at least some pixels could be read.
  func bitmap() throws(ImageError) -> (bitmap: Bitmap, goodRows: Int) {
    var good = 0
    let strips = RowStrips(
      of: size, crop: crop, format: format, target: target, averagesLight: averagesLight, work: work)
    var bitmap = try strips.bitmap { (strip) throws(ImageError) in
      let rows = try read(into: strip.start, bytesPerRow: strip.bytesPerRow, atMost: strip.rows.count)
      good += rows.good
      return rows.count
    }
    if target == size, reader.damage != nil, format.alpha == .opaque { bitmap.assumeAlpha(.straight) }
    return (bitmap, good)
  }

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
