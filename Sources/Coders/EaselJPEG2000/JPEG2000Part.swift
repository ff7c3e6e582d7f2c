import CEaselJPEG2000
import EaselCore

/// The part of a codestream that is decoded, after a number of halvings.
struct JPEG2000Part {
  let halvings: Int
  /// The area of the reference grid, which may hold some more pixels at its edges.
  let area: easel_jpeg2000_area
  /// The wanted pixels among those of the area.
  let pixels: PixelRect

  /// Finds the part for a region of the whole picture; nil stands for all of it.
  init(of stream: JPEG2000Stream, _ region: PixelRect?, halvings: Int) {
    self.halvings = halvings
    let components = stream.components
    let columns = Axis(
      grid: stream.left..<stream.right, step: stream.xStep, coarsest: components.map(\.xStep).max() ?? 1,
      region.map { $0.x..<$0.x + $0.width }, halvings)
    let rows = Axis(
      grid: stream.top..<stream.bottom, step: stream.yStep, coarsest: components.map(\.yStep).max() ?? 1,
      region.map { $0.y..<$0.y + $0.height }, halvings)
    area = easel_jpeg2000_area(
      left: UInt32(columns.grid.lowerBound), top: UInt32(rows.grid.lowerBound), right: UInt32(columns.grid.upperBound),
      bottom: UInt32(rows.grid.upperBound))
    pixels = PixelRect(
      x: columns.pixels.lowerBound, y: rows.pixels.lowerBound, width: columns.pixels.count, height: rows.pixels.count)
  }

  /// One direction of a part.
  private struct Axis {
    let grid: Range<Int>
    /// The wanted pixels, counted from the first one in the grid.
    let pixels: Range<Int>

    /// `grid` is that of the whole picture, and `wanted` are pixels of it.
    init(grid: Range<Int>, step: Int, coarsest: Int, _ wanted: Range<Int>?, _ halvings: Int) {
      func up(_ value: Int, _ divisor: Int) -> Int { (value + divisor - 1) / divisor }
      let unit = 1 << halvings
      let (first, end) = (up(grid.lowerBound, step), up(grid.upperBound, step))
      let (least, most) = (up(first, unit), up(end, unit))
      guard let wanted, most > least else {
        (self.grid, pixels) = (grid, 0..<max(0, most - least))
        return
      }
      let left = min(max((first + wanted.lowerBound) / unit, least), most - 1)
      let right = min(max(up(first + wanted.upperBound, unit), left + 1), most)
      // So that the samples of all components begin at the same pixel.
      let grain = unit * (coarsest / step)
      let areaFirst = max(first, left * unit / grain * grain)
      let areaEnd = min(end, up(right * unit, grain) * grain)
      self.grid = max(grid.lowerBound, areaFirst * step)..<min(grid.upperBound, areaEnd * step)
      let start = up(up(self.grid.lowerBound, step), unit)
      pixels = left - start..<right - start
    }
  }
}
