import EaselCoding
import EaselCore

/// A picture that consists of other pictures, which are drawn on a canvas one over the other.
struct HEIFOverlay {
  let size: PixelSize
  /// The colour of the canvas.
  let fill: PixelColor
  /// The items of the pictures, and the places of their top left corners, which may lie outside the canvas.
  let parts: [(item: Int, x: Int, y: Int)]

  /// Reads the bytes of an overlay's item; nil if there are too few for its pictures, or if the version is unknown.
  init?(_ bytes: MediaBytes, of items: [Int]) {
    guard bytes.number(at: 0, bytes: 1) == 0, let flags = bytes.number(at: 1, bytes: 1) else { return nil }
    let width = flags & 1 == 0 ? 2 : 4
    let colors = (0..<4).compactMap { bytes.number(at: 2 + 2 * $0, bytes: 2) }
    let numbers = (0..<2 + 2 * items.count).compactMap { bytes.number(at: 10 + width * $0, bytes: width) }
    guard colors.count == 4, numbers.count == 2 + 2 * items.count else { return nil }
    let bits = 64 - 8 * width
    // The places are signed.
    let places = numbers.dropFirst(2).map { ($0 << bits) >> bits }
    let fill = colors.map { UInt8(($0 + 128) / 257) }
    size = PixelSize(width: numbers[0], height: numbers[1])
    self.fill = PixelColor(red: fill[0], green: fill[1], blue: fill[2], alpha: fill[3])
    parts = items.enumerated().map { index, item in (item, places[2 * index], places[2 * index + 1]) }
  }

  /// True if the canvas is not opaque.
  var hasAlpha: Bool { fill.alpha < 255 }
}
