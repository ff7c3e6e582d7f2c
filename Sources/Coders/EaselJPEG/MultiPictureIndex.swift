/// The index of the pictures in one file by CIPA DC-007, from the segment with the marker `MPF`.
///
/// Any number in it may be wrong: the places that it gives are only where a picture may be looked for.
package struct MultiPictureIndex: Equatable {
  static let marker = Array("MPF\0".utf8)
  /// The most bytes of a segment that are read; an index of eight pictures fits.
  static let mostBytes = 1024
  private static let mostPictures = 8
  private static let entryBytes = 16

  /// The places of the pictures after the first one.
  package private(set) var places: [Range<Int>] = []

  /// Reads the content after the marker, which begins at this offset in the file; returns nil unless it is an index.
  package init?(_ bytes: [UInt8], at start: Int) {
    guard let reader = Reader(bytes) else { return nil }
    guard let directory = reader.number(at: 4, bytes: 4), let count = reader.number(at: directory, bytes: 2) else {
      return nil
    }
    for index in 0..<min(count, 64) {
      let entry = directory + 2 + 12 * index
      guard let tag = reader.number(at: entry, bytes: 2), let size = reader.number(at: entry + 4, bytes: 4),
        let list = reader.number(at: entry + 8, bytes: 4)
      else { return nil }
      guard tag == 0xB002 else { continue }
      // The offset of the first picture is 0 by definition; those of others count from the byte order mark.
      for picture in 1..<max(1, min(size / Self.entryBytes, Self.mostPictures)) {
        let place = list + picture * Self.entryBytes
        guard let length = reader.number(at: place + 4, bytes: 4), let offset = reader.number(at: place + 8, bytes: 4)
        else { break }
        if length > 0 && offset > 0 { places.append(start + offset..<start + offset + length) }
      }
      return
    }
    return nil
  }

  /// An index of two pictures, as the segment has it after the marker.
  static func content(firstBytes: Int, secondBytes: Int, secondOffset: Int) -> [UInt8] {
    func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    var bytes: [UInt8] = [0x4D, 0x4D, 0, 0x2A] + word(8) + [0, 3]
    bytes += [0xB0, 0, 0, 7] + word(4) + Array("0100".utf8)
    bytes += [0xB0, 1, 0, 4] + word(1) + word(2)
    // The list follows the directory.
    bytes += [0xB0, 2, 0, 7] + word(2 * entryBytes) + word(50) + word(0)
    // The first picture is the one to be shown; the type of a gain map is undefined.
    bytes += word(0x0003_0000) + word(firstBytes) + word(0) + word(0)
    bytes += word(0) + word(secondBytes) + word(secondOffset) + word(0)
    return bytes
  }

  private struct Reader {
    private let bytes: [UInt8]
    private let isBigEndian: Bool

    init?(_ bytes: [UInt8]) {
      if bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
        isBigEndian = true
      } else if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) {
        isBigEndian = false
      } else {
        return nil
      }
      self.bytes = bytes
    }

    /// A number of up to four bytes, nil if it is not in the segment.
    func number(at offset: Int, bytes count: Int) -> Int? {
      guard offset >= 0, offset <= bytes.count - count else { return nil }
      let part = bytes[offset..<offset + count]
      return isBigEndian ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
  }
}
