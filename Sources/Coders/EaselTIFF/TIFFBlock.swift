import EaselCoding
import EaselCore

/// Collects the EXIF of a page into one block, the form in which other formats store it.
///
/// In a TIFF, the EXIF tags stand among the tags of the picture and refer to places all over the file.
struct TIFFBlock {
  let reader: TIFFDirectoryReader
  let mostBytes: Int

  /// The EXIF entries of a directory and of the directories below it, in the byte order of the file.
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

  /// The EXIF block of a page; nil if the page has no EXIF tags, or more than allowed.
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
    // Directories below the EXIF directory are ignored.
    for entry in child.entries where entry.tag != TIFFTag.interoperability {
      guard let copied = try copied(entry) else { continue }
      total += entry.byteCount ?? 0
      guard total <= mostBytes else { return nil }
      entries.append(copied)
    }
    return entries.isEmpty ? nil : entries
  }

  /// The entry with its values; nil if the values are outside the file, or of a type that a block cannot hold.
  private func copied(_ entry: TIFFEntry) throws(ImageError) -> TIFFBlockEntry? {
    guard entry.type <= 12, let count = entry.byteCount, count <= mostBytes, entry.count > 0,
      let content = try reader.content(of: entry)
    else { return nil }
    return TIFFBlockEntry(tag: entry.tag, type: entry.type, count: entry.count, content: .bytes(content))
  }
}
