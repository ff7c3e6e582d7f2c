import EaselCoding
import EaselCore
import FoundationEssentials

/// Writes directories with 32-bit offsets one after another, each followed by its values.
struct TIFFBlockWriter {
  let isBigEndian: Bool
  /// The offset of the first byte.
  private(set) var start = 0
  private(set) var bytes = Data()

  init(isBigEndian: Bool, start: Int = 0) {
    self.isBigEndian = isBigEndian
    self.start = start
  }

  /// A block with its own header.
  mutating func block(of entries: [TIFFBlockEntry]) -> Data {
    bytes.append(contentsOf: isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49])
    append(42, 2)
    append(8, 4)
    _ = write(entries)
    return bytes
  }

  /// Writes a directory; returns its offset, and the place for the offset of the next directory.
  mutating func write(_ unsorted: [TIFFBlockEntry]) -> (offset: Int, link: Int) {
    let entries = unsorted.sorted { $0.tag < $1.tag }
    if (start + bytes.count) % 2 == 1 { bytes.append(0) }
    let offset = start + bytes.count
    append(entries.count, 2)
    var places: [(place: Int, content: TIFFBlockEntry.Content)] = []
    for entry in entries {
      append(entry.tag, 2)
      append(entry.type, 2)
      append(entry.count, 4)
      if case .bytes(let values) = entry.content, values.count <= 4 {
        bytes.append(contentsOf: values + [UInt8](repeating: 0, count: 4 - values.count))
      } else {
        places.append((bytes.count, entry.content))
        append(0, 4)
      }
    }
    let link = bytes.count
    append(0, 4)
    for (place, content) in places {
      if (start + bytes.count) % 2 == 1 { bytes.append(0) }
      switch content {
      case .bytes(let values):
        put(start + bytes.count, at: place)
        bytes.append(contentsOf: values)
      case .directory(let entries): put(write(entries).offset, at: place)
      }
    }
    return (offset, start + link)
  }

  /// The bytes of a number in the order of the file.
  static func bytes(of number: Int, count: Int, isBigEndian: Bool) -> [UInt8] {
    let shifts = (0..<count).map { 8 * $0 }
    return (isBigEndian ? shifts.reversed() : shifts).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private mutating func append(_ number: Int, _ count: Int) {
    bytes.append(contentsOf: Self.bytes(of: number, count: count, isBigEndian: isBigEndian))
  }

  private mutating func put(_ number: Int, at place: Int) {
    bytes.replaceSubrange(place..<place + 4, with: Self.bytes(of: number, count: 4, isBigEndian: isBigEndian))
  }
}
