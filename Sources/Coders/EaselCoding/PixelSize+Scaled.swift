import EaselCore

extension PixelSize {
  /// This size scaled by the ratio of `reduced` to `full`, at least one pixel a side.
  package func scaled(as full: PixelSize, to reduced: PixelSize) -> PixelSize {
    func side(_ side: Int, _ full: Int, _ reduced: Int) -> Int {
      max(1, Int((Double(side) * Double(reduced) / Double(full)).rounded()))
    }
    return PixelSize(
      width: side(width, full.width, reduced.width), height: side(height, full.height, reduced.height))
  }
}
