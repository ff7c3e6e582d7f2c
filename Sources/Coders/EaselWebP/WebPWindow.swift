import EaselCore

/// Reads small parts of the bytes through a small buffer, so that a file needs few reads.
struct WebPWindow {
  let bytes: ImageBytes
  private var buffer: [UInt8] = []
  private var start = 0

  init(_ bytes: ImageBytes) { self.bytes = bytes }

  /// The chunk at an offset, nil until its first eight bytes have arrived.
  mutating func chunk(at offset: Int) throws(ImageError) -> WebPChunk? {
    guard offset + WebPChunk.headBytes <= bytes.count else { return nil }
    if offset < start || offset + WebPChunk.headBytes > start + buffer.count {
      buffer = try bytes.part(at: offset, count: 512)
      start = offset
    }
    let place = offset - start
    return WebPChunk(
      kind: WebPChunk.Kind(code: UInt32(buffer.littleEndian(at: place, bytes: 4))), start: offset,
      count: buffer.littleEndian(at: place + 4, bytes: 4))
  }
}

extension Array<UInt8> {
  func littleEndian(at offset: Int, bytes count: Int) -> Int {
    self[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

extension FixedWidthInteger {
  var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { Array($0) } }
}
