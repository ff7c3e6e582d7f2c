import EaselCore
import EaselTestPixels

@testable import EaselPNG

/// Files made chunk by chunk.
enum HandmadePNG {
  /// The chunks of a file, without its signature.
  static func chunks(of bytes: [UInt8]) -> [(kind: PNGChunk.Kind, content: [UInt8])] {
    var chunks: [(PNGChunk.Kind, [UInt8])] = []
    var position = 8
    while position + 12 <= bytes.count {
      let count = Int(bytes.bigEndian32(at: position))
      chunks.append(
        (PNGChunk.Kind(code: bytes.bigEndian32(at: position + 4)), Array(bytes[position + 8..<position + 8 + count])))
      position += count + 12
    }
    return chunks
  }

  static func file(_ chunks: [(kind: PNGChunk.Kind, content: [UInt8])]) -> [UInt8] {
    var writer = PNGChunkWriter()
    for chunk in chunks { writer.append(chunk.kind, chunk.content) }
    return Array(writer.data)
  }

  /// The chunks of a still picture in colour.
  static func still(_ width: Int, _ height: Int, red: Int = 200) throws -> [(kind: PNGChunk.Kind, content: [UInt8])] {
    let bitmap = try Bitmap(width, height, .opaqueRGBA8) { x, y in [red, x, y, 255] }
    let bytes = try PNGCoder().encode(Image(bitmap), as: .png, options: EncodeOptions(), work: WorkContext())
    return chunks(of: try bytes.withUnsafeBytes { Array($0) })
  }

  /// A picture of two pixels; each later frame changes one of them.
  static func moving(frames count: Int, claimed: Int? = nil, width: Int = 2) throws -> [UInt8] {
    let still = try still(width, 1)
    let pixels = try Self.still(1, 1, red: 90).first { $0.kind == .data }!.content
    var sequence: UInt32 = 0
    func control(_ width: Int, x: Int) -> [UInt8] {
      defer { sequence += 1 }
      return ([Int(sequence), width, 1, x, 0].flatMap { UInt32($0).bigEndianBytes }) + [0, 1, 0, 20, 0, 0]
    }
    var result = [still[0], (.animation, UInt32(claimed ?? count).bigEndianBytes + UInt32(3).bigEndianBytes)]
    result += [(.frame, control(width, x: 0))] + still.filter { $0.kind == .data }
    for index in 1..<max(1, count) {
      result.append((.frame, control(1, x: index % width)))
      result.append((.frameData, sequence.bigEndianBytes + pixels))
      sequence += 1
    }
    return file(result + [(.end, [])])
  }
}
