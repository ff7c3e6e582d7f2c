import CEaselHEIF
import EaselCore

/// The parameters of a sequence that a reader must know before it decodes a picture.
///
/// libde265 only gets parameters that this type could read up to the colours.
struct HEVCSequence: Equatable {
  /// The size of the pictures as stored, before their edges are cut off.
  private(set) var storedSize = PixelSize(width: 0, height: 0)
  /// The size of the pictures without the edges.
  private(set) var size = PixelSize(width: 0, height: 0)
  /// 0 for grey, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
  private(set) var chroma = 1
  private(set) var bitDepth = 8
  private(set) var chromaBitDepth = 8
  /// The code point of the primaries in the parameters; 2 if they leave it open.
  private(set) var primaries = 2
  private(set) var transfer = 2
  private(set) var matrix = 2
  private(set) var isFullRange = false

  /// True if two neighbouring pixels in a row share a sample of each colour.
  var halvesWidth: Bool { chroma == 1 || chroma == 2 }
  /// True if two neighbouring pixels in a column share a sample of each colour.
  var halvesHeight: Bool { chroma == 1 }

  /// The form in which the decoder must find the pictures.
  var form: easel_heif_form {
    easel_heif_form(
      width: UInt32(size.width), height: UInt32(size.height), stored_width: UInt32(storedSize.width),
      stored_height: UInt32(storedSize.height), chroma: Int32(chroma), depth: Int32(bitDepth),
      chroma_depth: Int32(chroma == 0 ? bitDepth : chromaBitDepth))
  }

  /// True if pictures of both sequences are stored alike, so that they fit into one picture.
  func isLike(_ other: HEVCSequence) -> Bool {
    size == other.size && storedSize == other.storedSize && chroma == other.chroma && bitDepth == other.bitDepth
      && chromaBitDepth == other.chromaBitDepth
  }

  /// Reads a unit with the parameters of a sequence; nil if it is damaged, or exceeds the limits of the format.
  init?(_ unit: UnsafeRawBufferPointer) {
    var bits = HEVCBits(unit)
    do { try read(&bits) } catch { return nil }
  }

  /// The most bits of a sample; the format allows more, but no picture has them.
  static let mostBits = 12
  /// The longest side that is accepted.
  private static let mostSide = 1 << 16

  private mutating func read(_ bits: inout HEVCBits) throws(HEVCBits.Failure) {
    try bits.skip(4)
    let subLayers = try bits.number(3)
    guard subLayers < 7 else { throw HEVCBits.Failure() }
    try bits.skip(1)
    try Self.skipProfile(&bits, subLayers)
    _ = try bits.coded(most: 15)
    chroma = try bits.coded(most: 3)
    // libde265 cannot decode planes that are coded separately.
    if chroma == 3, try bits.flag() { throw HEVCBits.Failure() }
    storedSize = PixelSize(width: try bits.coded(most: Self.mostSide), height: try bits.coded(most: Self.mostSide))
    try readEdges(&bits)
    bitDepth = try 8 + bits.coded(most: Self.mostBits - 8)
    chromaBitDepth = try 8 + bits.coded(most: Self.mostBits - 8)
    let orderBits = try 4 + bits.coded(most: 12)
    let statesAll = try bits.flag()
    for _ in (statesAll ? 0 : subLayers)...subLayers {
      for _ in 0..<3 { _ = try bits.coded(most: Int(UInt32.max)) }
    }
    try readBlocks(&bits)
    try Self.skipReferences(&bits, orderBits)
    try bits.skip(2)
    if try bits.flag() { try readColors(&bits) }
  }

  private mutating func readEdges(_ bits: inout HEVCBits) throws(HEVCBits.Failure) {
    size = storedSize
    if try bits.flag() {
      var edges: [Int] = []
      for _ in 0..<4 { edges.append(try bits.coded(most: Self.mostSide)) }
      let (across, down) = (chroma == 1 || chroma == 2 ? 2 : 1, chroma == 1 ? 2 : 1)
      size.width -= (edges[0] + edges[1]) * across
      size.height -= (edges[2] + edges[3]) * down
    }
    guard size.width > 0, size.height > 0 else { throw HEVCBits.Failure() }
  }

  private mutating func readBlocks(_ bits: inout HEVCBits) throws(HEVCBits.Failure) {
    let least = try 3 + bits.coded(most: 3)
    let most = try least + bits.coded(most: 3)
    let leastTransform = try 2 + bits.coded(most: 3)
    let mostTransform = try leastTransform + bits.coded(most: 3)
    guard (4...6).contains(most), leastTransform < least, mostTransform <= min(most, 5),
      storedSize.width % (1 << least) == 0, storedSize.height % (1 << least) == 0
    else { throw HEVCBits.Failure() }
    for _ in 0..<2 { _ = try bits.coded(most: most - leastTransform) }
    if try bits.flag(), try bits.flag() { try Self.skipScaling(&bits, chroma) }
    try bits.skip(2)
    // The sequence may contain samples without compression.
    if try bits.flag() {
      let (luma, color) = (try 1 + bits.number(4), try 1 + bits.number(4))
      let leastRaw = try 3 + bits.coded(most: 2)
      let mostRaw = try leastRaw + bits.coded(most: 2)
      guard luma <= bitDepth, color <= chromaBitDepth, leastRaw >= least, mostRaw <= min(most, 5) else {
        throw HEVCBits.Failure()
      }
      try bits.skip(1)
    }
  }

  private mutating func readColors(_ bits: inout HEVCBits) throws(HEVCBits.Failure) {
    if try bits.flag(), try bits.number(8) == 255 { try bits.skip(32) }
    if try bits.flag() { try bits.skip(1) }
    guard try bits.flag() else { return }
    try bits.skip(3)
    isFullRange = try bits.flag()
    guard try bits.flag() else { return }
    primaries = try bits.number(8)
    transfer = try bits.number(8)
    matrix = try bits.number(8)
  }

  private static func skipProfile(_ bits: inout HEVCBits, _ subLayers: Int) throws(HEVCBits.Failure) {
    try bits.skip(96)
    var parts: [(hasProfile: Bool, hasLevel: Bool)] = []
    for _ in 0..<subLayers { parts.append((try bits.flag(), try bits.flag())) }
    if subLayers > 0 { try bits.skip(2 * (8 - subLayers)) }
    for part in parts { try bits.skip((part.hasProfile ? 88 : 0) + (part.hasLevel ? 8 : 0)) }
  }

  private static func skipScaling(_ bits: inout HEVCBits, _ chroma: Int) throws(HEVCBits.Failure) {
    for size in 0..<4 {
      for matrix in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        guard try bits.flag() else {
          _ = try bits.coded(most: size == 3 ? matrix / 3 : matrix)
          continue
        }
        if size > 1 { _ = try bits.signed(most: 255) }
        for _ in 0..<min(64, 1 << (4 + size << 1)) { _ = try bits.signed(most: 128) }
      }
    }
  }

  /// Skips the sets of reference pictures.
  private static func skipReferences(_ bits: inout HEVCBits, _ orderBits: Int) throws(HEVCBits.Failure) {
    let sets = try bits.coded(most: 64)
    var sizes: [Int] = []
    for index in 0..<sets {
      if index > 0, try bits.flag() {
        try bits.skip(1)
        _ = try bits.coded(most: 1 << 15)
        var count = 0
        for _ in 0...sizes[index - 1] {
          let isUsed = try bits.flag()
          if isUsed { count += 1 } else { count += try bits.bit() }
        }
        sizes.append(count)
      } else {
        let count = try bits.coded(most: 16) + bits.coded(most: 16)
        for _ in 0..<count {
          _ = try bits.coded(most: 1 << 15)
          try bits.skip(1)
        }
        sizes.append(count)
      }
      guard sizes[index] <= 16 else { throw HEVCBits.Failure() }
    }
    guard try bits.flag() else { return }
    for _ in try 0..<bits.coded(most: 32) { try bits.skip(orderBits + 1) }
  }
}
