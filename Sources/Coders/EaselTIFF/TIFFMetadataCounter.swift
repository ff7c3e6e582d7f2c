import EaselCore

/// Counts the bytes of a file that belong neither to its pictures nor to their profiles.
struct TIFFMetadataCounter {
  private let file: TIFFFile
  private let work: WorkContext
  /// The parts of the file that belong to pictures.
  private var parts: [Range<Int>] = []
  /// The ranges of the directories, including their entries of metadata.
  private var directories: Set<Range<Int>> = []
  /// The strips, tiles and long values of pictures.
  private var contents: [Range<Int>] = []

  init(_ file: TIFFFile, work: WorkContext) {
    self.file = file
    self.work = work
  }

  /// The number of bytes; nil if a part of a picture is outside the file, or overlaps a directory.
  mutating func count() throws(ImageError) -> Int? {
    let reader = file.directories
    parts.append(0..<(reader.isBig ? 16 : 8))
    let entryBytes = reader.isBig ? 20 : 12
    for directory in file.all {
      try work.checkCancellation()
      var metadataEntries = 0
      for entry in directory.entries {
        guard try belongsToPicture(entry) else {
          metadataEntries += 1
          continue
        }
        guard reader.isInside(entry), let count = entry.byteCount else { return nil }
        // Short values are stored in the entry itself.
        let own = directory.offset..<directory.offset + directory.byteCount
        if !own.contains(entry.place) { add(entry.place..<entry.place + count) }
      }
      directories.insert(directory.offset..<directory.offset + directory.byteCount)
      // The entries of metadata are counted as if they stood at the end of the directory.
      parts.append(directory.offset..<directory.offset + directory.byteCount - metadataEntries * entryBytes)
      guard try addPixels(of: directory) else { return nil }
    }
    // Pixels, values or another directory could otherwise lie over the entries of metadata and hide them.
    guard areApart else { return nil }
    return file.directories.bytes.count - covered
  }

  private mutating func add(_ content: Range<Int>) {
    parts.append(content)
    contents.append(content)
  }

  /// True if no directory overlaps another directory, pixels or values.
  private var areApart: Bool {
    let directories = directories.sorted { $0.lowerBound < $1.lowerBound }
    guard zip(directories, directories.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound }) else { return false }
    let contents = contents.sorted { $0.lowerBound < $1.lowerBound }
    var (index, end) = (0, 0)
    for directory in directories {
      while index < contents.count, contents[index].lowerBound < directory.upperBound {
        end = max(end, contents[index].upperBound)
        index += 1
      }
      guard end <= directory.lowerBound else { return false }
    }
    return true
  }

  private func belongsToPicture(_ entry: TIFFEntry) throws(ImageError) -> Bool {
    guard entry.tag == TIFFTag.orientation else { return TIFFTag.ofPixels.contains(entry.tag) }
    return try file.directories.numbers(of: entry)?.first == 1
  }

  private mutating func addPixels(of directory: TIFFDirectory) throws(ImageError) -> Bool {
    let tags = [
      (TIFFTag.stripOffsets, TIFFTag.stripByteCounts), (TIFFTag.tileOffsets, TIFFTag.tileByteCounts),
      (TIFFTag.jpegOffset, TIFFTag.jpegByteCount),
    ]
    let end = file.directories.bytes.count
    for (offsets, counts) in tags {
      guard let starts = try file.directories.numbers(of: directory.entry(offsets), atMost: .max),
        let lengths = try file.directories.numbers(of: directory.entry(counts), atMost: .max)
      else { continue }
      for (start, length) in zip(starts, lengths) where length > 0 {
        guard start <= end, length <= end - start else { return false }
        add(start..<start + length)
      }
    }
    return true
  }

  /// The number of bytes in the parts, plus single bytes between them that make offsets even.
  private var covered: Int {
    var (sum, place) = (0, 0)
    for part in parts.sorted(by: { $0.lowerBound < $1.lowerBound }) where part.upperBound > place {
      if part.lowerBound == place + 1 && place % 2 == 1 { place += 1; sum += 1 }
      sum += part.upperBound - max(place, part.lowerBound)
      place = part.upperBound
    }
    return sum
  }
}
