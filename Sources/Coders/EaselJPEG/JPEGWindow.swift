import EaselCore
import Glibc

/// Reads single bytes through a small buffer, so that a file needs few reads.
struct JPEGWindow {
  let bytes: ImageBytes
  private var buffer: [UInt8] = []
  private var start = 0

  private static let length = 1024
  private static let searchLength = 64 << 10

  init(_ bytes: ImageBytes) { self.bytes = bytes }

  /// The byte at an offset, nil if it has not arrived yet.
  mutating func byte(at offset: Int) throws(ImageError) -> UInt8? {
    guard offset < bytes.count else { return nil }
    if offset < start || offset >= start + buffer.count {
      buffer = try bytes.part(at: offset, count: Self.length)
      start = offset
    }
    return buffer[offset - start]
  }

  /// The offset of the next byte of a value; nil when there is none.
  mutating func offset(of value: UInt8, from offset: Int, work: WorkContext) throws(ImageError) -> Int? {
    var place = offset
    while place < bytes.count {
      if place < start || place >= start + buffer.count {
        try work.checkCancellation()
        buffer = try bytes.part(at: place, count: Self.searchLength)
        start = place
      }
      let skipped = place - start
      let found = buffer.withUnsafeBytes { buffer in
        memchr(buffer.baseAddress! + skipped, Int32(value), buffer.count - skipped).map {
          UnsafeRawPointer($0) - buffer.baseAddress!
        }
      }
      if let found { return start + found }
      place = start + buffer.count
    }
    return nil
  }

  /// Two bytes as a number, nil unless both have arrived.
  mutating func number(at offset: Int) throws(ImageError) -> Int? {
    guard let high = try byte(at: offset), let low = try byte(at: offset + 1) else { return nil }
    return Int(high) << 8 | Int(low)
  }
}
