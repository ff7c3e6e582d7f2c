import EaselCore

/// Counts the bytes of a file that belong neither to its pictures nor to their profiles.
struct TIFFMetadataCounter {
  private let file: TIFFFile
  private let work: WorkContext
  /// The parts of the file that belong to pictures.
  private var parts: [Range<Int>] = []

  init(_ file: TIFFFile, work: WorkContext) {
    self.file = file
    self.work = work
  }

  /// The number of bytes; nil if a part of a picture is not in the file.
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
        // Short values stand in the entry itself.
        let own = directory.offset..<directory.offset + directory.byteCount
        if !own.contains(entry.place) { parts.append(entry.place..<entry.place + count) }
      }
      // The entries of metadata are counted as if they stood at the end.
      parts.append(directory.offset..<directory.offset + directory.byteCount - metadataEntries * entryBytes)
      guard try addPixels(of: directory) else { return nil }
    }
    return file.directories.bytes.count - covered
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
        parts.append(start..<start + length)
      }
    }
    return true
  }

  /// The bytes in the parts, and single bytes between them, which make offsets even.
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
