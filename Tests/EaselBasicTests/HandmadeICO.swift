@testable import EaselBasic

/// An icon made by hand of bitmaps and other bytes.
struct HandmadeICO {
  struct Part {
    var width: Int
    var height: Int
    var bytes: [UInt8]
    /// The number of bytes that the directory states; nil for the true one.
    var statedCount: Int?
    /// The depth that the directory states.
    var statedBits = 32

    init(_ width: Int, _ height: Int, _ bytes: [UInt8], statedCount: Int? = nil) {
      (self.width, self.height, self.bytes, self.statedCount) = (width, height, bytes, statedCount)
    }

    /// A bitmap; its pixels and its mask begin with the lowest row.
    static func bitmap(
      _ width: Int, _ height: Int, bits: Int, colors: [(Int, Int, Int)] = [], pixels: [UInt8], mask: [UInt8]
    ) -> Part {
      let file = HandmadeBMP(
        width: width, height: 2 * height, bits: bits, colorCount: colors.count, colors: colors, pixels: pixels + mask)
      return Part(width, height, Array(file.bytes.dropFirst(14)))
    }

    /// A bitmap of one opaque colour with alpha.
    static func plain(_ side: Int, blue: UInt8, alpha: UInt8 = 255) -> Part {
      .bitmap(
        side, side, bits: 32, pixels: (0..<side * side).flatMap { _ in [blue, 0, 0, alpha] },
        mask: [UInt8](repeating: 0, count: (side + 31) / 32 * 4 * side))
    }
  }

  var kind = 1
  var parts: [Part]

  init(_ parts: Part..., kind: Int = 1) {
    self.parts = parts
    self.kind = kind
  }

  var bytes: [UInt8] {
    var file: [UInt8] = []
    for value in [0, kind, parts.count] { file.appendLittle16(value) }
    var offset = 6 + 16 * parts.count
    for part in parts {
      file += [UInt8(truncatingIfNeeded: part.width), UInt8(truncatingIfNeeded: part.height), 0, 0, 1, 0]
      file.appendLittle16(part.statedBits)
      file.appendLittle32(part.statedCount ?? part.bytes.count)
      file.appendLittle32(offset)
      offset += part.bytes.count
    }
    return file + parts.flatMap(\.bytes)
  }
}
