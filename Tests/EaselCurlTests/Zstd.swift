/// Makes zstd frames without a library.
enum Zstd {
  private static let magic: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]

  /// The bytes as a zstd frame, without compression.
  ///
  /// The frame asks for a window of two to the power of `windowBits` bytes.
  static func stored(_ bytes: [UInt8], windowBits: UInt8 = 20) -> [UInt8] {
    var blocks: [UInt8] = []
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(1 << 16)
      rest = rest.dropFirst(block.count)
      blocks += header(size: block.count, type: 0, isLast: rest.isEmpty) + block
    } while !rest.isEmpty
    return magic + [0, (windowBits - 10) << 3] + blocks
  }

  /// This many null bytes as a zstd frame of a few bytes for each 64 KiB.
  static func zeros(_ count: Int) -> [UInt8] {
    var blocks: [UInt8] = []
    var rest = count
    repeat {
      let size = min(rest, 1 << 16)
      rest -= size
      blocks += header(size: size, type: 1, isLast: rest == 0) + [0]
    } while rest > 0
    return magic + [0, (20 - 10) << 3] + blocks
  }

  /// A frame that a reader skips.
  static func skipped(_ count: UInt8) -> [UInt8] {
    [0x50, 0x2a, 0x4d, 0x18, count, 0, 0, 0] + [UInt8](repeating: 7, count: Int(count))
  }

  private static func header(size: Int, type: Int, isLast: Bool) -> [UInt8] {
    let word = size << 3 | type << 1 | (isLast ? 1 : 0)
    return [UInt8(word & 255), UInt8(word >> 8 & 255), UInt8(word >> 16)]
  }
}
