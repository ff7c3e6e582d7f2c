import CEaselPNG
import EaselCore
import EaselTestPixels

@testable import EaselPNG

/// The compressed rows of an RGB picture, and files that contain them.
struct CompressedRows {
  let layout: easel_png_layout
  /// The filtered rows of all passes.
  let filtered: [UInt8]

  init(_ width: Int, _ height: Int, isInterlaced: Bool = false, seed: UInt64 = 1) {
    var layout = easel_png_layout()
    (layout.width, layout.height, layout.bit_depth, layout.color_type) = (UInt32(width), UInt32(height), 8, 2)
    layout.is_interlaced = isInterlaced
    self.layout = layout
    var random = SeededRandom(seed: seed)
    var filtered: [UInt8] = []
    for (columns, rows) in Self.passes(width, height, isInterlaced) {
      for _ in 0..<rows {
        filtered.append(UInt8.random(in: 0...4, using: &random))
        // A little noise, and many repetitions over short and long distances.
        for _ in 0..<columns * 3 {
          let isNew = filtered.count < 40 || UInt8.random(in: 0..<10, using: &random) == 0
          let back = Int.random(in: 1...min(33_000, max(1, filtered.count - 1)), using: &random)
          filtered.append(isNew ? .random(in: 0...255, using: &random) : filtered[filtered.count - min(back, 30)])
        }
      }
    }
    self.filtered = filtered
  }

  private static func passes(_ width: Int, _ height: Int, _ isInterlaced: Bool) -> [(columns: Int, rows: Int)] {
    guard isInterlaced else { return [(width, height)] }
    let starts = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    return starts.map { x, y, dx, dy in
      (max(0, (width + dx - 1 - x) / dx), max(0, (height + dy - 1 - y) / dy))
    }.filter { $0.0 > 0 && $0.1 > 0 }
  }

  func compressed(level: Int = 6, adding more: [UInt8] = []) -> [UInt8] {
    let bytes = filtered + more
    let capacity = easel_png_deflate_bound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
      _ = easel_png_deflate(bytes, bytes.count, Int32(level), target.baseAddress, capacity, &count)
    }
  }

  /// A file with valid chunks around any compressed bytes.
  func file(_ compressed: [UInt8]) -> [UInt8] {
    var writer = PNGChunkWriter()
    writer.append(
      .header, layout.width.bigEndianBytes + layout.height.bigEndianBytes + [8, 2, 0, 0, layout.is_interlaced ? 1 : 0])
    writer.append(.data, compressed)
    writer.append(.end, [])
    return Array(writer.data)
  }

  /// The result of reading compressed rows.
  struct Outcome: Equatable {
    var pixels: [UInt8]
    var progress: UInt64
    var isComplete: Bool
    /// The error message; empty without an error.
    var message = ""

    var isWhole: Bool { isComplete && message.isEmpty }
  }

  /// Reads the rows from pieces that end at these places.
  func read(_ compressed: [UInt8], endingAt ends: [Int] = [], strictly: Bool = false) -> Outcome {
    var layout = layout
    var made: OpaquePointer?
    precondition(easel_png_rows_create(&layout, &made) == EASEL_PNG_OK)
    let rows = made!
    defer { easel_png_rows_destroy(rows) }
    if strictly { precondition(easel_png_rows_restart_strictly(rows) == EASEL_PNG_OK) }
    precondition(easel_png_rows_are_strict(rows) == strictly)
    let stride = Int(layout.width) * 4
    var pixels = [UInt8](repeating: 0, count: stride * Int(layout.height))
    var start = 0
    var isBad = false
    for end in ends + [compressed.count] {
      // Each piece is copied, so that a sanitizer detects a read beyond it.
      let piece = Array(compressed[start..<end])
      isBad = easel_png_rows_feed(rows, piece, piece.count, &pixels, stride, nil, nil) != EASEL_PNG_OK
      if isBad { break }
      start = end
    }
    return Outcome(
      pixels: pixels, progress: easel_png_rows_progress(rows), isComplete: easel_png_rows_are_complete(rows),
      message: isBad ? String(cString: easel_png_rows_message(rows)) : "")
  }
}
