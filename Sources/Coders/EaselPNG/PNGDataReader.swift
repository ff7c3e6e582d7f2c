import CEaselPNG
import EaselCore

/// Reads the compressed pixels from their chunks and verifies the check sums.
struct PNGDataReader {
  enum Piece: Equatable {
    /// The number of bytes read.
    case bytes(Int)
    /// More bytes must arrive first.
    case waits
    /// The pixel data has ended.
    case over
    /// A check sum is wrong.
    case damaged(String)
    /// The next bytes are not a chunk.
    case broken(String)
  }

  private let kind: PNGChunk.Kind
  private var position: Int
  /// The bytes left in the current chunk.
  private var remaining = 0
  private var sum: UInt32 = 0
  private var isInside = false

  init(from chunk: PNGChunk) {
    kind = chunk.kind
    position = chunk.start
  }

  mutating func next(
    of bytes: ImageBytes, _ window: inout PNGWindow, into target: UnsafeMutableRawBufferPointer
  ) throws(ImageError) -> Piece {
    while true {
      if !isInside {
        guard let chunk = try window.chunk(at: position) else { return .waits }
        if let end = try begin(chunk, window) { return end }
        continue
      }
      if remaining > 0 {
        let part = UnsafeMutableRawBufferPointer(rebasing: target.prefix(remaining))
        let count = try bytes.read(at: position, into: part)
        guard count > 0 else { return .waits }
        sum = easel_png_crc(sum, target.baseAddress, count)
        position += count
        remaining -= count
        return .bytes(count)
      }
      guard position + 4 <= bytes.count else { return .waits }
      guard try window.bytes.part(at: position, count: 4).bigEndian32(at: 0) == sum else {
        return .damaged("the check sum of \(kind) at byte \(position) is wrong")
      }
      position += 4
      isInside = false
    }
  }

  private mutating func begin(_ chunk: PNGChunk, _ window: PNGWindow) throws(ImageError) -> Piece? {
    guard chunk.count <= Int32.max, chunk.kind.hasLettersOnly else {
      return .broken("there is no valid chunk at byte \(chunk.start)")
    }
    guard chunk.kind == kind else {
      // Other chunks may stand between the parts of a frame.
      guard kind == .frameData, chunk.kind != .frame, chunk.kind != .end else { return .over }
      guard chunk.end <= window.bytes.count else { return .waits }
      position = chunk.end
      return nil
    }
    let skipped = kind == .frameData ? 4 : 0
    guard chunk.count >= skipped else { return .damaged("a chunk fdAT has no sequence number") }
    let head = try window.bytes.part(at: chunk.start + 4, count: 4 + skipped)
    guard head.count == 4 + skipped else { return .waits }
    sum = head.withUnsafeBytes { easel_png_crc(0, $0.baseAddress, $0.count) }
    position = chunk.content + skipped
    remaining = chunk.count - skipped
    isInside = true
    return nil
  }
}
