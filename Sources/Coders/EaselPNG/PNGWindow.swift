import CEaselPNG
import EaselCore

/// Reads small parts of the bytes through a small buffer, so that a file needs few reads.
struct PNGWindow {
  let bytes: ImageBytes
  private var buffer: [UInt8] = []
  private var start = 0

  init(_ bytes: ImageBytes) { self.bytes = bytes }

  /// The chunk at an offset, nil until its first eight bytes have arrived.
  mutating func chunk(at offset: Int) throws(ImageError) -> PNGChunk? {
    guard offset + 8 <= bytes.count else { return nil }
    if offset < start || offset + 8 > start + buffer.count { try load(at: offset) }
    let place = offset - start
    let (length, code) = (buffer.bigEndian32(at: place), buffer.bigEndian32(at: place + 4))
    return PNGChunk(kind: PNGChunk.Kind(code: code), start: offset, count: Int(length))
  }

  /// The content of a complete chunk, nil if its check sum is wrong.
  func content(of chunk: PNGChunk) throws(ImageError) -> [UInt8]? {
    let all = try bytes.part(at: chunk.start + 4, count: chunk.count + 8)
    guard all.count == chunk.count + 8, crc(all.prefix(chunk.count + 4)) == all.bigEndian32(at: chunk.count + 4)
    else { return nil }
    return Array(all[4..<chunk.count + 4])
  }

  private mutating func load(at offset: Int) throws(ImageError) {
    buffer = try bytes.part(at: offset, count: 512)
    start = offset
  }

  private func crc(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { easel_png_crc(0, $0.baseAddress, $0.count) }
  }
}

extension Array<UInt8> {
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
      | UInt32(self[offset + 3])
  }

  func bigEndian16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }
}
