import EaselCore

/// Reads single bytes through a small buffer, so that a file needs few reads.
struct JPEGWindow {
  let bytes: ImageBytes
  private var buffer: [UInt8] = []
  private var start = 0

  private static let length = 1024

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

  /// Two bytes as a number, nil unless both have arrived.
  mutating func number(at offset: Int) throws(ImageError) -> Int? {
    guard let high = try byte(at: offset), let low = try byte(at: offset + 1) else { return nil }
    return Int(high) << 8 | Int(low)
  }
}

extension ImageError {
  static func badJPEG(_ sentence: String) -> ImageError { ImageError(.badImageData, "JPEG: \(sentence)") }
}
