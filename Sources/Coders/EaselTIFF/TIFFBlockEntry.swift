import EaselCoding
import EaselCore

/// An entry of a directory that is written.
struct TIFFBlockEntry {
  enum Content {
    /// Values in the byte order of the file.
    case bytes([UInt8])
    /// The offset of another directory.
    case directory([TIFFBlockEntry])
  }

  let tag: Int
  let type: Int
  let count: Int
  let content: Content

  init(tag: Int, type: Int, count: Int, content: Content) {
    (self.tag, self.type, self.count, self.content) = (tag, type, count, content)
  }

  /// Creates an entry of whole numbers in little-endian order: bytes, words or long words.
  init(_ tag: Int, type: Int, _ values: [Int]) {
    let size = type == 1 ? 1 : type == 3 ? 2 : 4
    let bytes = values.flatMap { TIFFBlockWriter.bytes(of: $0, count: size, isBigEndian: false) }
    self.init(tag: tag, type: type, count: type == 5 ? values.count / 2 : values.count, content: .bytes(bytes))
  }

  /// This entry with its values in the other byte order.
  var swapped: TIFFBlockEntry {
    switch content {
    case .directory(let entries):
      return TIFFBlockEntry(tag: tag, type: type, count: count, content: .directory(entries.map(\.swapped)))
    case .bytes(let bytes):
      // Fractions are pairs of long words.
      let size = [3: 2, 4: 4, 5: 4, 8: 2, 9: 4, 10: 4, 11: 4, 12: 8, 13: 4][type] ?? 1
      let values = stride(from: 0, to: bytes.count, by: size).flatMap {
        bytes[$0..<min(bytes.count, $0 + size)].reversed()
      }
      return TIFFBlockEntry(tag: tag, type: type, count: count, content: .bytes(values))
    }
  }
}
