import CEaselPNG
import FoundationEssentials

/// Writes the signature and then chunks one after another.
struct PNGChunkWriter {
  private(set) var data = Data(PNGScanner.signature)

  mutating func append(_ kind: PNGChunk.Kind, _ content: some Collection<UInt8>) {
    data.append(contentsOf: UInt32(content.count).bigEndianBytes)
    let start = data.count
    data.append(contentsOf: kind.bytes)
    data.append(contentsOf: content)
    let sum = data[start...].withUnsafeBytes { easel_png_crc(0, $0.baseAddress, $0.count) }
    data.append(contentsOf: sum.bigEndianBytes)
  }

  /// Appends chunks of one kind; each is at most as long as a chunk may be.
  mutating func append(_ kind: PNGChunk.Kind, pieces: [UnsafeRawBufferPointer]) {
    // A `Data` that grows, or reserves a capacity, takes a quarter more memory than it needs, and keeps it in a cache.
    let written = data
    data = Data(capacity: written.count + pieces.reduce(0) { $0 + $1.count + 12 } + 12)
    data.append(written)
    for piece in pieces { append(kind, piece) }
  }
}

extension FixedWidthInteger {
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
