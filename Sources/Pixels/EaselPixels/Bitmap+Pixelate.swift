import EaselCore

extension Bitmap {
  /// Returns the picture in squares, each with the mean colour of its pixels; squares at the right and at the bottom
  /// may be cut off.
  package func pixelated(block: Int, work: WorkContext) throws(ImageError) -> Bitmap {
    var result = try Bitmap(unfilled: size, format: format)
    // The squares that are cut off have another scale, so they are made separately.
    for rows in Self.spans(of: height, block: block) {
      for columns in Self.spans(of: width, block: block) {
        let part = PixelRect(x: columns.start, y: rows.start, width: columns.length, height: rows.length)
        let squares = PixelSize(width: columns.squares, height: rows.squares)
        let means = try resized(within: part, to: squares, filter: .box, work: work)
        try means.resize(
          within: PixelRect(covering: squares), into: part, of: &result, filter: .nearest, work: work)
      }
    }
    return result
  }

  /// The span of the whole blocks, and that of the rest, if they exist.
  private static func spans(of side: Int, block: Int) -> [(start: Int, length: Int, squares: Int)] {
    let whole = side / block * block
    return [(start: 0, length: whole, squares: side / block), (start: whole, length: side - whole, squares: 1)]
      .filter { $0.length > 0 }
  }
}
