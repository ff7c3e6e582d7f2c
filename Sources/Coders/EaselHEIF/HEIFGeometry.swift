import EaselCoding
import EaselCore

/// What crops, turns and mirrors, applied one after another, make of a picture: a part of it, and an orientation.
struct HEIFGeometry: Equatable {
  let codedSize: PixelSize
  /// The part of the coded picture that is shown.
  private(set) var crop: PixelRect
  /// The turn of this part.
  private(set) var orientation = ImageMetadata.Orientation.up

  /// Begins with a coded picture, or with the part at its top left that is of another size.
  init(_ size: PixelSize, showing shown: PixelSize? = nil) {
    codedSize = size
    crop = PixelRect(covering: shown ?? size)
  }

  /// The size of what is shown.
  var shownSize: PixelSize { orientation.swapsSides ? crop.size.transposed : crop.size }

  /// True if this one shows the same part of its coded picture as another of its own, in the same ratio.
  ///
  /// A copy that is smaller may be off by a pixel on each side, because all of this is in whole pixels.
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

  /// Applies a property; others than crops, turns and mirrors change nothing.
  mutating func apply(_ property: MediaBox, _ bytes: MediaBytes) {
    switch property.kind {
    case "clap": cut(property, bytes)
    case "irot":
      guard let turns = bytes.number(at: property.content, bytes: 1) else { return }
      turn(Self.turn(quartersLeft: turns & 3))
    case "imir":
      guard let axis = bytes.number(at: property.content, bytes: 1) else { return }
      // 0 swaps top and bottom, 1 swaps left and right.
      turn(axis & 1 == 0 ? .downMirrored : .upMirrored)
    default: break
    }
  }

  /// Cuts what is shown down to a part of it; a part that makes no sense is ignored, as in browsers.
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

  /// The part of a stored picture that is seen as a part of the picture when it is set upright.
  private static func stored(_ part: PixelRect, in size: PixelSize, _ orientation: ImageMetadata.Orientation)
    -> PixelRect
  {
    var (x, y, width, height) = (part.x, part.y, part.width, part.height)
    let matrix = orientation.matrix
    // The corner of the stored picture that is seen at the top left.
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
  /// Where a pixel that is seen comes from: its places are swapped first, and then counted from the other side.
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

  /// The orientation of a picture that is set upright by this one first, and turned by another one then.
  func followed(by other: ImageMetadata.Orientation) -> ImageMetadata.Orientation {
    let (first, second) = (matrix, other.matrix)
    // A pixel that is seen comes from `second` of what `first` shows.
    let swaps = first.swaps != second.swaps
    let flipsX = (first.swaps ? second.flipsY : second.flipsX) != first.flipsX
    let flipsY = (first.swaps ? second.flipsX : second.flipsY) != first.flipsY
    return Self.allCases.first { $0.matrix == (swaps, flipsX, flipsY) } ?? .up
  }
}
