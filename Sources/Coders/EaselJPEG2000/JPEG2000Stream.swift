import EaselCoding
import EaselCore

/// The main header of a codestream: the area and the components of the picture, and the number of halvings.
struct JPEG2000Stream {
  /// The properties of a component.
  struct Component: Hashable {
    var depth: Int
    var isSigned: Bool
    /// The width in the reference grid for which one sample stands.
    var xStep: Int
    var yStep: Int
  }

  static let signature: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]

  let left, top, right, bottom: Int
  let components: [Component]
  /// The number of halvings that the codestream stores.
  let levels: Int

  /// The most components; a picture for viewing never has more.
  private static let mostComponents = 8
  /// The number of a tile has 16 bits.
  private static let mostTiles = 65_535
  /// The bytes that OpenJPEG allocates for each tile, and for each component of a tile, before it reads any tile.
  private static let bytesPerTile = 5700
  private static let bytesPerPart = 1100
  private static let mostTableBytes = 64 << 20

  /// Reads the header of the codestream at a place in a file.
  init(_ bytes: ImageBytes, at start: Int, limits: Limits) throws(ImageError) {
    let head = try bytes.part(at: start, count: 42 + 3 * Self.mostComponents)
    func number(_ offset: Int, _ length: Int) -> Int { head[offset..<offset + length].reduce(0) { $0 << 8 | Int($1) } }
    guard head.starts(with: Self.signature), head.count >= 45 else {
      throw .bad("JPEG 2000", "there is no codestream at byte \(start)")
    }
    (right, bottom, left, top) = (number(8, 4), number(12, 4), number(16, 4), number(20, 4))
    let (tileWidth, tileHeight, tileLeft, tileTop) = (number(24, 4), number(28, 4), number(32, 4), number(36, 4))
    let count = number(40, 2)
    guard count <= Self.mostComponents else {
      throw .unsupportedJPEG2000("pictures of \(count) components are not read, at most \(Self.mostComponents)")
    }
    guard left < right, top < bottom, tileLeft <= left, tileTop <= top, tileLeft + tileWidth > left,
      tileTop + tileHeight > top, count > 0, number(4, 2) == 38 + 3 * count, head.count >= 42 + 3 * count
    else { throw .bad("JPEG 2000", "the codestream states an area, tiles or components that cannot be") }
    components = (0..<count).map { index in
      let depth = number(42 + 3 * index, 1)
      return Component(
        depth: depth & 0x7F + 1, isSigned: depth & 0x80 != 0, xStep: number(43 + 3 * index, 1),
        yStep: number(44 + 3 * index, 1))
    }
    guard components.allSatisfy({ $0.xStep > 0 && $0.yStep > 0 }) else {
      throw .bad("JPEG 2000", "the codestream has a component without samples")
    }
    guard components.allSatisfy({ $0.depth <= 31 }) else {
      throw .unsupportedJPEG2000("samples of more than 31 bits are not read")
    }
    levels = try Self.levels(bytes, after: start + 4 + number(4, 2), start, limits)
    try limits.check(frame: size, claimedBy: "JPEG 2000: the header")
    let columns = (right - tileLeft + tileWidth - 1) / tileWidth
    let rows = (bottom - tileTop + tileHeight - 1) / tileHeight
    guard columns <= Self.mostTiles, rows <= Self.mostTiles, columns * rows <= Self.mostTiles else {
      throw .bad("JPEG 2000", "the codestream has more tiles than \(Self.mostTiles)")
    }
    let tableBytes = columns * rows * (Self.bytesPerTile + count * Self.bytesPerPart)
    guard (tableBytes - Self.mostTableBytes) / 8 <= size.area else {
      throw ImageError(
        .limitExceeded,
        "JPEG 2000: a picture of \(size) in \(columns * rows) tiles takes too much memory: only "
          + "\(Self.mostTableBytes >> 20) MB more than its own pixels are allowed.")
    }
  }

  /// The size of the picture, at which the finest component has one sample for each pixel.
  var size: PixelSize { size(halvings: 0) }

  /// The size after a number of halvings.
  func size(halvings: Int) -> PixelSize {
    func side(_ from: Int, _ to: Int, _ step: Int) -> Int {
      func place(_ value: Int) -> Int { ((value + step - 1) / step + (1 << halvings) - 1) >> halvings }
      return place(to) - place(from)
    }
    return PixelSize(width: side(left, right, xStep), height: side(top, bottom, yStep))
  }

  /// The horizontal step of the finest component.
  var xStep: Int { components.map(\.xStep).min() ?? 1 }
  var yStep: Int { components.map(\.yStep).min() ?? 1 }

  /// The number of halvings that all components have, from the marker segments before the first tile.
  private static func levels(
    _ bytes: ImageBytes, after first: Int, _ start: Int, _ limits: Limits
  ) throws(ImageError) -> Int {
    var (place, levels) = (first, Int?.none)
    while true {
      let segment = try bytes.part(at: place, count: 10)
      guard segment.count == 10, segment[0] == 0xFF else {
        throw .bad("JPEG 2000", "the codestream ends or is damaged at byte \(place), within its header")
      }
      let length = Int(segment[2]) << 8 | Int(segment[3])
      switch segment[1] {
      // The default coding, and the coding of one component.
      case 0x52: levels = min(levels ?? .max, Int(segment[9]))
      case 0x53: levels = min(levels ?? .max, Int(segment[6]))
      // The first tile begins here.
      case 0x90: return min(levels ?? 0, 32)
      default: break
      }
      guard length >= 2 else {
        throw .bad("JPEG 2000", "the codestream has a segment of \(length) bytes in its header")
      }
      place += 2 + length
      try limits.check(metadataBytes: place - start, claimedBy: "JPEG 2000: the header")
    }
  }
}
