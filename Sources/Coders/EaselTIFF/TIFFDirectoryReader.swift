import EaselCore

/// Reads directories and the values of their entries.
///
/// Any number in the file may be wrong.
struct TIFFDirectoryReader: Sendable {
  let bytes: ImageBytes
  let isBigEndian: Bool
  let isBig: Bool

  /// The most values that are read of an entry, except for strips.
  private static let mostValues = 1024

  /// The directory at an offset; nil if the directory is not within the file.
  func directory(at offset: Int) throws(ImageError) -> TIFFDirectory? {
    let (countBytes, entryBytes, offsetBytes) = isBig ? (8, 20, 8) : (2, 12, 4)
    guard offset > 0, offset < bytes.count else { return nil }
    let head = try bytes.part(at: offset, count: countBytes)
    guard head.count == countBytes, let count = number(head[...]), count > 0, count <= 65_535 else { return nil }
    let body = try bytes.part(at: offset + countBytes, count: count * entryBytes + offsetBytes)
    guard body.count >= count * entryBytes else { return nil }
    let start = offset + countBytes
    let entries = (0..<count).compactMap { index -> TIFFEntry? in
      entry(body[index * entryBytes..<(index + 1) * entryBytes], at: start + index * entryBytes)
    }
    let link = body[(count * entryBytes)...]
    let next = link.count == offsetBytes ? number(link) ?? .max : link.isEmpty ? 0 : nil
    return TIFFDirectory(
      offset: offset, entries: entries, byteCount: countBytes + count * entryBytes + link.count, next: next,
      hasNoLink: link.isEmpty)
  }

  /// The reason why there is no directory at an offset.
  func lack(at offset: Int) throws(ImageError) -> String {
    let (countBytes, entryBytes) = isBig ? (8, 20) : (2, 12)
    guard offset > 0, offset < bytes.count else { return "is not in the file, which has \(bytes.count) bytes" }
    let head = try bytes.part(at: offset, count: countBytes)
    guard head.count == countBytes, let count = number(head[...]) else { return "is cut off by the end of the file" }
    guard count > 0, count <= 65_535 else { return "has \(count) entries" }
    return "has \(count) entries, of which the file has only \((bytes.count - offset - countBytes) / entryBytes)"
  }

  private func entry(_ body: ArraySlice<UInt8>, at offset: Int) -> TIFFEntry? {
    let start = body.startIndex
    let countBytes = isBig ? 8 : 4
    guard let tag = number(body[start..<start + 2]), let type = number(body[start + 2..<start + 4]),
      let count = number(body[start + 4..<start + 4 + countBytes])
    else { return nil }
    let inside = TIFFEntry(tag: tag, type: type, count: count, place: offset + 4 + countBytes)
    guard let size = inside.byteCount, size > countBytes else { return inside }
    let place = number(body[(start + 4 + countBytes)...]) ?? .max
    return TIFFEntry(tag: tag, type: type, count: count, place: place)
  }

  /// The number in some bytes; nil if it is too large.
  func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    let value =
      isBigEndian
      ? bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int(exactly: value)
  }

  /// True if all values of the entry are within the file.
  func isInside(_ entry: TIFFEntry) -> Bool {
    guard let count = entry.byteCount else { return false }
    return entry.place <= bytes.count && count <= bytes.count - entry.place
  }

  /// The first tag of metadata whose values, or whose directory, are not in the file; nil if there is none.
  func lostMetadata(of directory: TIFFDirectory) throws(ImageError) -> Int? {
    for entry in directory.entries where !TIFFTag.ofPixels.contains(entry.tag) && entry.byteCount != nil {
      if !isInside(entry) { return entry.tag }
      guard entry.tag == TIFFTag.exif || entry.tag == TIFFTag.gps else { continue }
      // An offset of zero means that there is none.
      if let offset = try numbers(of: entry)?.first, offset != 0, try self.directory(at: offset) == nil {
        return entry.tag
      }
    }
    return nil
  }

  /// The bytes of the values; nil if they are not all in the file.
  func content(of entry: TIFFEntry) throws(ImageError) -> [UInt8]? {
    guard let count = entry.byteCount, isInside(entry) else { return nil }
    return try bytes.part(at: entry.place, count: count)
  }

  /// The whole numbers of an entry; nil if the values are of another type.
  func numbers(of entry: TIFFEntry?, atMost most: Int = mostValues) throws(ImageError) -> [Int]? {
    guard let entry, [1, 3, 4, 13, 16, 18].contains(entry.type), let size = entry.valueBytes, entry.count <= most,
      let content = try content(of: entry)
    else { return nil }
    return stride(from: 0, to: content.count, by: size).map { number(content[$0..<$0 + size]) ?? .max }
  }

  /// The first whole number with a tag.
  func number(_ tag: Int, of directory: TIFFDirectory) throws(ImageError) -> Int? {
    try numbers(of: directory.entry(tag))?.first
  }

  /// The first fraction with a tag.
  func fraction(_ tag: Int, of directory: TIFFDirectory) throws(ImageError) -> Double? {
    guard let entry = directory.entry(tag), entry.type == 5, entry.count == 1, let content = try content(of: entry),
      let above = number(content[0..<4]), let below = number(content[4..<8]), below > 0
    else { return nil }
    return Double(above) / Double(below)
  }

  /// The bytes of a tag whose type has single bytes.
  func block(_ tag: Int, of directory: TIFFDirectory) throws(ImageError) -> [UInt8]? {
    guard let entry = directory.entry(tag), entry.valueBytes == 1, entry.count > 0 else { return nil }
    return try content(of: entry)
  }
}
