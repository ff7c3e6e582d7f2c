import CEaselPixels
import EaselCore

extension Bitmap {
  /// The longest side of the map on which windows are chosen; larger pictures are averaged in cells.
  package static let mostSalienceCells = Int(EASEL_MOST_CELLS)

  /// Finds the window that keeps most of what attracts the eye; returns its place as a share of the room for moving it.
  ///
  /// Edges, colours of skin and saturated colours attract; transparent pixels do not. 0 is left or top, 1 is right or
  /// bottom. `width` and `height` are the window's shares of the part. `shape` is the size of the part before the
  /// picture was scaled, so that a smaller copy is divided into the same cells. Every processor finds the same window,
  /// because scores are integers.
  package func salientWindow(
    width: Double, height: Double, of part: PixelRect, shape: PixelSize, work: WorkContext
  ) throws(ImageError) -> (x: Double, y: Double) {
    let map = Self.cells(for: shape, atMost: part.size)
    let columns = Self.window(width, of: map.width)
    let rows = Self.window(height, of: map.height)
    if columns == map.width && rows == map.height { return (0.5, 0.5) }
    let cells = try averages(of: part, in: map, work: work)
    var scores = [UInt32](repeating: 0, count: map.width * map.height)
    easel_salience(cells, map.width, map.height, &scores)
    var (x, y) = (0, 0)
    easel_best_window(scores, map.width, map.height, columns, rows, &x, &y)
    return (Self.share(x, of: map.width - columns), Self.share(y, of: map.height - rows))
  }

  private static func share(_ cells: Int, of room: Int) -> Double { room == 0 ? 0.5 : Double(cells) / Double(room) }

  private static func cells(for shape: PixelSize, atMost part: PixelSize) -> PixelSize {
    let longest = max(shape.width, shape.height)
    let scale = min(1, Double(mostSalienceCells) / Double(longest))
    func count(_ side: Int, _ most: Int) -> Int { min(most, max(1, Int((Double(side) * scale).rounded()))) }
    return PixelSize(width: count(shape.width, part.width), height: count(shape.height, part.height))
  }

  /// The number of cells of a window.
  ///
  /// It is odd or even like that of the map, so that the window can be exactly in the middle.
  private static func window(_ share: Double, of cells: Int) -> Int {
    let exact = share * Double(cells)
    let count = min(max(1, Int(exact.rounded())), cells)
    if (cells - count).isMultiple(of: 2) { return count }
    return Double(count) <= exact || count == 1 ? count + 1 : count - 1
  }

  /// The mean colours of cells, row by row; transparent pixels do not count.
  private func averages(of part: PixelRect, in map: PixelSize, work: WorkContext) throws(ImageError) -> [UInt8] {
    let copy = try resized(within: part, to: map, filter: .box, work: work).converted(to: .rgba8)
    return copy.withUnsafeBytes { bytes in
      (0..<map.height).flatMap { bytes[($0 * copy.bytesPerRow)...].prefix(map.width * 4) }
    }
  }
}
