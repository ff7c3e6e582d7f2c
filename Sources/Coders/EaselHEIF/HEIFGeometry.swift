import EaselCoding
import EaselCore

/// The result of several crops, turns and mirrors, applied one after another: a part of the picture, and an
/// orientation.
struct HEIFGeometry: Equatable {
  let codedSize: PixelSize
  /// The part of the coded picture that is shown.
  private(set) var crop: PixelRect
  /// The turn of the shown part.
  private(set) var orientation = ImageMetadata.Orientation.up

  /// Begins with the whole coded picture, or with the part of size `shown` at its top left.
  init(_ size: PixelSize, showing shown: PixelSize? = nil) {
    codedSize = size
    crop = PixelRect(covering: shown ?? size)
  }

  /// The size of the shown part after the turn.
  var shownSize: PixelSize { orientation.swapsSides ? crop.size.transposed : crop.size }

  /// True if this geometry shows the same part of its coded picture as `other` shows of another coded picture.
  ///
  /// Each side of a smaller copy may be off by a pixel, because all sizes are whole pixels.
  func isCopy(of other: HEIFGeometry) -> Bool {
    let (size, whole) = (crop.size, other.crop.size)
    let (across, down) = (size.width * whole.height, size.height * whole.width)
    func isAlike(_ edge: Int, of side: Int, _ otherEdge: Int, of otherSide: Int) -> Bool {
      abs(Double(edge) - Double(otherEdge) * Double(side) / Double(otherSide)) <= 1
    }
    let (full, otherFull) = (codedSize, other.codedSize)
    return abs(across - down) <= max(whole.width, whole.height)
      && isAlike(crop.x, of: full.width, other.crop.x, of: otherFull.width)
      && isAlike(crop.y, of: full.height, other.crop.y, of: otherFull.height)
      && isAlike(crop.x + crop.width, of: full.width, other.crop.x + whole.width, of: otherFull.width)
      && isAlike(crop.y + crop.height, of: full.height, other.crop.y + whole.height, of: otherFull.height)
  }

  /// Applies a crop, a turn or a mirror; other properties change nothing.
  mutating func apply(_ property: MediaBox, _ bytes: MediaBytes) {
    switch property.kind {
    case "clap": cut(property, bytes)
    case "irot":
      guard let turns = bytes.number(at: property.content, bytes: 1) else { return }
      turn(Self.turn(quartersLeft: turns & 3))
    case "imir":
      guard let axis = bytes.number(at: property.content, bytes: 1) else { return }
      // The value 0 swaps top and bottom, 1 swaps left and right.
      turn(axis & 1 == 0 ? .downMirrored : .upMirrored)
    default: break
    }
  }

  /// Reduces the shown part to a smaller part; an impossible part is ignored, as in browsers.
  private mutating func cut(_ property: MediaBox, _ bytes: MediaBytes) {
    let words = (0..<8).compactMap { bytes.number(at: property.content + 4 * $0, bytes: 4) }
    guard words.count == 8, property.end - property.content >= 32 else { return }
    let signed = words.map { Double(Int32(truncatingIfNeeded: $0)) }
    // Sizes and denominators must be positive.
    guard [0, 1, 2, 3, 5, 7].allSatisfy({ signed[$0] > 0 }) else { return }
    let (width, height) = ((signed[0] / signed[1]).rounded(), (signed[2] / signed[3]).rounded())
    let size = shownSize
    let x = (signed[4] / signed[5] + (Double(size.width) - width) / 2).rounded()
    let y = (signed[6] / signed[7] + (Double(size.height) - height) / 2).rounded()
    guard width >= 1, height >= 1, x >= 0, y >= 0, x + width <= Double(size.width), y + height <= Double(size.height)
    else { return }
    let part = PixelRect(x: Int(x), y: Int(y), width: Int(width), height: Int(height))
    let stored = Self.stored(part, in: size, orientation)
    crop = PixelRect(x: crop.x + stored.x, y: crop.y + stored.y, width: stored.width, height: stored.height)
  }

  private mutating func turn(_ next: ImageMetadata.Orientation) { orientation = orientation.followed(by: next) }

  private static func turn(quartersLeft turns: Int) -> ImageMetadata.Orientation { [.up, .left, .down, .right][turns] }

  /// The part of a stored picture that appears as `part` in the upright picture.
  private static func stored(_ part: PixelRect, in size: PixelSize, _ orientation: ImageMetadata.Orientation)
    -> PixelRect
  {
    var (x, y, width, height) = (part.x, part.y, part.width, part.height)
    let matrix = orientation.matrix
    // The corner of the stored picture that appears at the top left.
    if matrix.swaps {
      (x, y, width, height) = (y, x, height, width)
    }
    let stored = orientation.swapsSides ? size.transposed : size
    if matrix.flipsX { x = stored.width - x - width }
    if matrix.flipsY { y = stored.height - y - height }
    return PixelRect(x: x, y: y, width: width, height: height)
  }
}

extension ImageMetadata.Orientation {
  /// The source of a visible pixel: its coordinates are swapped first, and then counted from the opposite side.
  fileprivate var matrix: (swaps: Bool, flipsX: Bool, flipsY: Bool) {
    switch self {
    case .up: (false, false, false)
    case .upMirrored: (false, true, false)
    case .down: (false, true, true)
    case .downMirrored: (false, false, true)
    case .leftMirrored: (true, false, false)
    case .right: (true, false, true)
    case .rightMirrored: (true, true, true)
    case .left: (true, true, false)
    }
  }

  /// The orientation of a picture that is first set upright by this orientation and then turned by another one.
  func followed(by other: ImageMetadata.Orientation) -> ImageMetadata.Orientation {
    let (first, second) = (matrix, other.matrix)
    // A visible pixel comes from `second`, applied to the result of `first`.
    let swaps = first.swaps != second.swaps
    let flipsX = (first.swaps ? second.flipsY : second.flipsX) != first.flipsX
    let flipsY = (first.swaps ? second.flipsX : second.flipsY) != first.flipsY
    return Self.allCases.first { $0.matrix == (swaps, flipsX, flipsY) } ?? .up
  }
}
