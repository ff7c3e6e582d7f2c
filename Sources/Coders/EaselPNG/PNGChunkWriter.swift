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

  /// Appends chunks of one kind, each of them at most as long as a chunk may be.
  mutating func append(_ kind: PNGChunk.Kind, pieces: [UnsafeRawBufferPointer]) {
    let sizes = pieces.map(\.count)
    data.reserveCapacity(data.count + sizes.reduce(0, +) + 12 * (sizes.count + 1))
    for piece in pieces { append(kind, piece) }
  }
}

extension FixedWidthInteger {
  var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
