import EaselCoding
import EaselCore
import Glibc

/// The marker at the end of a file.
enum JPEGEndMarker {
  /// The first bytes from the end that are searched; most files end in the marker itself.
  private static let (firstPart, mostPart) = (4096, 256 << 10)

  /// True if an end marker stands behind the offset at which the pixels begin.
  ///
  /// The search begins at the end of the bytes, so only a file that lacks the marker is read as a whole.
  static func isThere(in bytes: ImageBytes, from pixels: Int, work: WorkContext) throws(ImageError) -> Bool {
    var (end, length) = (bytes.count, firstPart)
    while end > pixels + 1 {
      try work.checkCancellation()
      let start = max(pixels, end - length)
      if hasMarker(try bytes.part(at: start, count: end - start)) { return true }
      // The marker may lie across two parts.
      end = start > pixels ? start + 1 : pixels
      length = min(mostPart, length * 4)
    }
    return false
  }

  /// The number of bytes before the zeros with which the bytes end.
  ///
  /// A zero behind 0xFF belongs to it.
  static func lengthWithoutZeros(of bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Int {
    var (end, length) = (bytes.count, firstPart)
    while end > 0 {
      try work.checkCancellation()
      let start = max(0, end - length)
      let part = try bytes.part(at: start, count: end - start)
      if let last = part.lastIndex(where: { $0 != 0 }) {
        return min(bytes.count, start + last + (part[last] == 0xFF ? 2 : 1))
      }
      end = start
      length = min(mostPart, length * 4)
    }
    return 0
  }

  private static func hasMarker(_ part: [UInt8]) -> Bool {
    part.withUnsafeBytes { part in
      var place = 1
      while place < part.count,
        let found = memchr(part.baseAddress! + place, 0xD9, part.count - place).map({ UnsafeRawPointer($0) })
      {
        let offset = found - part.baseAddress!
        if part[offset - 1] == 0xFF { return true }
        place = offset + 1
      }
      return false
    }
  }
}

extension Wound {
  /// The end marker is missing, and nothing else.
  static let noEndMarker = Wound("the end marker is missing", sparesPixels: true)
}
