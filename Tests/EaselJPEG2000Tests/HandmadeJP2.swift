/// A file of JPEG 2000 around a codestream.
struct HandmadeJP2 {
  var stream: [UInt8]
  /// The boxes that say what the samples mean.
  var boxes: [[UInt8]] = [colors(16)]
  /// False for a codestream that takes the rest of the file.
  var statesLength = true

  var bytes: [UInt8] {
    let start = [0, 0, 0, 12] + Array("jP  ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]
    let type = Self.box("ftyp", Array("jp2 ".utf8) + [0, 0, 0, 0] + Array("jp2 ".utf8))
    var picture = Self.box("jp2c", stream)
    if !statesLength { picture.replaceSubrange(0..<4, with: [0, 0, 0, 0]) }
    let size = Self.box("ihdr", [0, 0, 0, 12, 0, 0, 0, 16, 0, 3, 7, 7, 0, 0])
    return start + type + Self.box("jp2h", size + boxes.flatMap { $0 }) + picture
  }

  static func box(_ name: String, _ body: [UInt8]) -> [UInt8] {
    number(body.count + 8, 4) + Array(name.utf8) + body
  }

  /// The description of colours by a number.
  static func colors(_ space: Int) -> [UInt8] { box("colr", [1, 0, 0] + number(space, 4)) }

  /// The description of colours by a profile.
  static func profile(_ bytes: [UInt8]) -> [UInt8] { box("colr", [2, 0, 0] + bytes) }

  /// What channels are: their number, their kind and their colour.
  static func definitions(_ list: [(Int, Int, Int)]) -> [UInt8] {
    box("cdef", number(list.count, 2) + list.flatMap { number($0.0, 2) + number($0.1, 2) + number($0.2, 2) })
  }

  /// Colours of bytes, and channels made of them.
  static func palette(_ colors: [[UInt8]]) -> [[UInt8]] {
    let columns = colors[0].count
    return [
      box("pclr", number(colors.count, 2) + [UInt8(columns)] + [UInt8](repeating: 7, count: columns) + colors.joined()),
      box("cmap", (0..<columns).flatMap { number(0, 2) + [1, UInt8($0)] }),
    ]
  }

  static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
