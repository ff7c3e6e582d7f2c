import EaselCoding
import EaselCore
import FoundationEssentials

/// Collects the EXIF of a page in a block of its own, as other formats hold it.
///
/// In a TIFF its tags stand among those of the picture and refer to places all over the file.
struct TIFFBlock {
  let reader: TIFFDirectoryReader
  let mostBytes: Int

  /// The entries of EXIF in a directory and those below it, in the byte order of the file.
  func entries(of directory: TIFFDirectory) throws(ImageError) -> [TIFFBlockEntry] {
    var entries: [TIFFBlockEntry] = []
    for entry in directory.entries where TIFFTag.described.contains(entry.tag) {
      if let copied = try copied(entry) { entries.append(copied) }
    }
    for tag in [TIFFTag.exif, TIFFTag.gps] {
      if let child = try child(tag, of: directory) {
        entries.append(TIFFBlockEntry(tag: tag, type: 4, count: 1, content: .directory(child)))
      }
    }
    return entries
  }

  /// The block of a page; nil if the page has no such tags, or more than there may be.
  func exif(of page: TIFFPage) throws(ImageError) -> EXIF? {
    var writer = TIFFBlockWriter(isBigEndian: reader.isBigEndian)
    var main = try entries(of: page.directory)
    guard !main.isEmpty else { return nil }
    for tag in [TIFFTag.orientation, TIFFTag.horizontalResolution, TIFFTag.verticalResolution, TIFFTag.resolutionUnit] {
      if let entry = page.directory.entry(tag), let copied = try copied(entry) { main.append(copied) }
    }
    let block = writer.block(of: main)
    return block.count <= mostBytes ? EXIF(block) : nil
  }

  private func child(_ tag: Int, of directory: TIFFDirectory) throws(ImageError) -> [TIFFBlockEntry]? {
    guard let offset = try reader.number(tag, of: directory), let child = try reader.directory(at: offset) else {
      return nil
    }
    var entries: [TIFFBlockEntry] = []
    var total = 0
    // Directories below EXIF's own are not followed.
    for entry in child.entries where entry.tag != TIFFTag.interoperability {
      guard let copied = try copied(entry) else { continue }
      total += entry.byteCount ?? 0
      guard total <= mostBytes else { return nil }
      entries.append(copied)
    }
    return entries.isEmpty ? nil : entries
  }

  /// The entry with its values; nil if they are not in the file, or of types that a block cannot hold.
  private func copied(_ entry: TIFFEntry) throws(ImageError) -> TIFFBlockEntry? {
    guard entry.type <= 12, let count = entry.byteCount, count <= mostBytes, entry.count > 0,
      let content = try reader.content(of: entry)
    else { return nil }
    return TIFFBlockEntry(tag: entry.tag, type: entry.type, count: entry.count, content: .bytes(content))
  }
}

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

  /// An entry of whole numbers in little-endian order: bytes, words or long words.
  init(_ tag: Int, type: Int, _ values: [Int]) {
    let size = type == 1 ? 1 : type == 3 ? 2 : 4
    let bytes = values.flatMap { TIFFBlockWriter.bytes(of: $0, count: size, isBigEndian: false) }
    self.init(tag: tag, type: type, count: type == 5 ? values.count / 2 : values.count, content: .bytes(bytes))
  }

  /// The same entry with its values in the other byte order.
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

  /// Writes a directory; returns its offset, and where the offset of the next one is to be written.
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
