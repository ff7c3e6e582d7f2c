import CEaselPixels
import EaselCore

extension Bitmap {
  /// Replaces grey pixels by the colours in a table, which has one for each level; alpha is kept.
  ///
  /// The table has red, green and blue for each level: bytes for 256 levels, or 16-bit words for 65,536 levels. They
  /// have the same width as the components of the pixels. If a pixel is not grey, its red is used as the level.
  package mutating func replaceGray(by table: [UInt8], work: WorkContext) throws(ImageError) {
    let levels = 1 << format.layout.bitsPerComponent
    precondition(format.bytesPerPixel >= 4, "One component has no room for a colour.")
    precondition(table.count == levels * 3 * format.layout.bitsPerComponent / 8, "A colour for each level is needed.")
    let (format, bytesPerRow, width, height) = (format.kernel, bytesPerRow, width, height)
    try withStart { (start: UnsafeMutableRawPointer) throws(ImageError) in
      try Self.inBands(of: height, length: width, work: work) { (rows: Range<Int>) throws(ImageError) in
        easel_map_gray(format, table, start + rows.lowerBound * bytesPerRow, bytesPerRow, width, rows.count)
      }
    }
  }
}
