import CEaselPixels
import EaselCore

extension Bitmap {
  /// The smallest part with all pixels that differ from the border by more than the tolerance; nil if no pixel does.
  ///
  /// The border has the given colour, or else the colour of the top left pixel. The difference of two pixels is that of
  /// their most different component, in steps of 8 bits. Colours are multiplied by alpha, because transparent pixels
  /// have no colour.
  package func partInsideBorder(
    of color: PixelColor?, tolerance: Double, work: WorkContext
  ) throws(ImageError) -> PixelRect? {
    var search = BorderSearch(self, color: color, tolerance: tolerance)
    return try search.run(work: work)
  }
}

/// Searches for the pixels that differ from a border; reads only the parts of each row that can still widen the result.
private struct BorderSearch {
  private let bitmap: Bitmap
  private let low: [UInt16]
  private let high: [UInt16]
  private var left = Int.max
  private var right = 0

  init(_ bitmap: Bitmap, color: PixelColor?, tolerance: Double) {
    self.bitmap = bitmap
    let top = bitmap.format.layout == .rgba16 ? 65_535 : 255
    let border = color.map { Self.samples(of: $0, bitmap.format.layout, top) } ?? Self.corner(of: bitmap, top)
    let most = Int((min(max(0, tolerance), 255) * Double(top / 255)).rounded(.down))
    low = border.map { UInt16(max(0, $0 - most)) }
    high = border.map { UInt16(min(top, $0 + most)) }
  }

  mutating func run(work: WorkContext) throws(ImageError) -> PixelRect? {
    let height = bitmap.height
    var pace = CancellationPace(work)
    var top = 0
    while top < height, !widen(byRow: top) {
      try pace.step(pixels: bitmap.width)
      top += 1
    }
    if top == height { return nil }
    var bottom = height
    while bottom > top + 1, !widen(byRow: bottom - 1) {
      try pace.step(pixels: bitmap.width)
      bottom -= 1
    }
    for row in (top + 1)..<max(top + 1, bottom - 1) {
      widenAtEnds(byRow: row)
      try pace.step(pixels: bitmap.width - (right - left))
    }
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// Widens the result by a row; returns false if the whole row belongs to the border.
  private mutating func widen(byRow row: Int) -> Bool {
    guard let found = find(inRow: row, 0..<bitmap.width) else { return false }
    left = min(left, found.lowerBound)
    right = max(right, found.upperBound)
    return true
  }

  private mutating func widenAtEnds(byRow row: Int) {
    if let found = find(inRow: row, 0..<left) { left = found.lowerBound }
    if let found = find(inRow: row, right..<bitmap.width) { right = found.upperBound }
  }

  private func find(inRow row: Int, _ columns: Range<Int>) -> Range<Int>? {
    if columns.isEmpty { return nil }
    let format = bitmap.format
    var (first, end) = (0, 0)
    let isThere = bitmap.withUnsafeBytes { bytes in
      easel_find_outside(
        format.kernel, format.kernelAlpha,
        bytes.baseAddress! + row * bitmap.bytesPerRow + columns.lowerBound * format.bytesPerPixel, columns.count, low,
        high, &first, &end)
    }
    return isThere ? (columns.lowerBound + first)..<(columns.lowerBound + end) : nil
  }

  private static func samples(of color: PixelColor, _ layout: PixelFormat.Layout, _ top: Int) -> [Int] {
    let straight = color.components(for: layout)
    return straight.enumerated().map { index, value in
      Int(((index == 3 ? value : value * straight[3]) * Float(top)).rounded())
    }
  }

  private static func corner(of bitmap: Bitmap, _ top: Int) -> [Int] {
    let format = bitmap.format
    let samples = bitmap.withUnsafeBytes { bytes -> [Int] in
      format.layout == .rgba16
        ? (0..<4).map { Int(bytes.load(fromByteOffset: 2 * $0, as: UInt16.self)) }
        : (0..<format.bytesPerPixel).map { Int(bytes[$0]) }
    }
    guard samples.count == 4 else { return [samples[0], samples[0], samples[0], top] }
    let alpha = format.alpha == .opaque ? top : samples[3]
    let colors = format.alpha == .straight ? samples[..<3].map { ($0 * alpha + top / 2) / top } : Array(samples[..<3])
    return colors + [alpha]
  }
}
