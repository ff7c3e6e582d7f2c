import EaselCore

/// Reads numbers and boxes of a file.
///
/// Nothing outside the bytes of the file is read.
package struct MediaBytes {
  private let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package var count: Int { bytes.count }

  /// A number of up to eight bytes; nil if it is outside the file or too large.
  package func number(at offset: Int, bytes length: Int) -> Int? {
    guard offset >= 0, length <= count, offset <= count - length else { return nil }
    var number: UInt64 = 0
    for index in offset..<offset + length { number = number << 8 | UInt64(bytes[index]) }
    return Int(exactly: number)
  }

  /// The bytes of a part; nil unless the whole part is inside the file.
  package func bytes(in part: Range<Int>) -> UnsafeRawBufferPointer? {
    guard part.lowerBound >= 0, part.upperBound <= count else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[part])
  }

  /// The name of a box or an item.
  package func kind(at offset: Int) -> MediaBox.Kind? { number(at: offset, bytes: 4).map(MediaBox.Kind.init) }

  /// True if the text stands at this offset.
  package func hasText(_ text: StaticString, at offset: Int) -> Bool {
    text.withUTF8Buffer { text in
      guard offset >= 0, text.count <= count, offset <= count - text.count else { return false }
      return text.indices.allSatisfy { bytes[offset + $0] == text[$0] }
    }
  }

  /// True if the name of the alpha kind of auxiliary pictures stands at this offset.
  package func isAlpha(at offset: Int) -> Bool {
    hasText("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: offset)
      || hasText("urn:mpeg:hevc:2015:auxid:1", at: offset)
  }

  /// The box at an offset, nil if there is none; the box may end outside the file.
  package func box(at offset: Int, before end: Int) -> MediaBox? {
    guard end - offset >= 8, let size = number(at: offset, bytes: 4), let kind = kind(at: offset + 4) else {
      return nil
    }
    switch size {
    case 0: return MediaBox(kind: kind, start: offset, content: offset + 8, end: end)
    case 1:
      guard end - offset >= 16, let size = number(at: offset + 8, bytes: 8), size >= 16,
        size <= Int.max - offset
      else { return nil }
      return MediaBox(kind: kind, start: offset, content: offset + 16, end: offset + size)
    default: return size < 8 ? nil : MediaBox(kind: kind, start: offset, content: offset + 8, end: offset + size)
    }
  }

  /// True if a box states no size, because it extends to the end of the file.
  package func isOpen(_ box: MediaBox) -> Bool { number(at: box.start, bytes: 4) == 0 }

  /// The boxes inside a part of the file, up to the first box that does not fit.
  package func boxes(in part: Range<Int>) -> [MediaBox] {
    var boxes: [MediaBox] = []
    var offset = part.lowerBound
    while let box = box(at: offset, before: part.upperBound), box.end <= part.upperBound {
      boxes.append(box)
      offset = box.end
    }
    return boxes
  }
}

extension ImageBytes {
  /// Calls `body` with a view of the bytes, which must be in memory.
  package func withMedia<Media>(
    _ body: (MediaBytes) throws(ImageError) -> Media
  ) throws(ImageError) -> Media {
    let result = withBytesInMemory { bytes in
      Result<Media, ImageError> { () throws(ImageError) in try body(MediaBytes(bytes)) }
    }
    guard let result else { preconditionFailure("The bytes are not in memory.") }
    return try result.get()
  }
}

extension MediaBytes {
  /// The boxes of these names, each of them the first with its name inside the previous box; empty unless all exist.
  package func path(_ names: [StaticString], in box: MediaBox) -> [MediaBox] {
    var (found, body) = ([MediaBox](), box.body())
    for name in names {
      guard let next = boxes(in: body).first(name) else { return [] }
      found.append(next)
      body = next.body()
    }
    return found
  }
}
