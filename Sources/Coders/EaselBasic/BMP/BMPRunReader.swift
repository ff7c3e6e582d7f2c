import EaselCoding
import EaselCore

/// Reads rows of indices that are compressed as runs (RLE4, RLE8).
///
/// Pixels that the file skips have the first colour of the table. Pixels beyond a row's end are ignored.
struct BMPRunReader {
  private let header: BMPHeader
  private let colors: [UInt32]
  private let work: WorkContext
  private var reader: ByteReader
  private var row: [UInt32]
  private var x = 0
  private var codes = 0

  private enum Code {
    case run(Int, UInt8), absolute(Int), lineEnd, end, move(Int, Int), cut
  }

  init(_ body: BMPBody, _ bytes: ImageBytes, work: WorkContext) {
    header = body.header
    colors = body.allColors
    self.work = work
    reader = ByteReader(bytes, at: body.pixelOffset)
    row = [UInt32](repeating: body.allColors[0], count: body.header.size.width)
  }

  mutating func read(into rows: ImageRows) throws(ImageError) -> Wound? {
    while !rows.isComplete {
      switch try next() {
      case .run(let count, let byte):
        fill(count) {
          $0 % 2 == 0 ? byte >> 4 : byte & 15
        } wide: {
          byte
        }
      case .absolute(let count):
        guard try readIndices(count) else { return try cut(rows) }
      case .lineEnd: try finishRow(rows)
      case .move(let right, let up):
        let place = x + right
        for _ in 0..<up where !rows.isComplete { try finishRow(rows) }
        x = min(place, row.count)
      case .end:
        while !rows.isComplete { try finishRow(rows) }
      case .cut: return try cut(rows)
      }
    }
    return nil
  }

  /// The offset after the code that ends the picture; nil when the file has no such code.
  mutating func end() throws(ImageError) -> Int? {
    while true {
      switch try next() {
      case .absolute(let count):
        for _ in 0..<paddedBytes(count) { guard try reader.next() != nil else { return nil } }
      case .end: return reader.position
      case .cut: return nil
      case .run, .lineEnd, .move: break
      }
    }
  }

  private mutating func next() throws(ImageError) -> Code {
    codes += 1
    if codes % 65_536 == 0 { try work.checkCancellation() }
    guard let count = try reader.next(), let byte = try reader.next() else { return .cut }
    guard count == 0 else { return .run(Int(count), byte) }
    switch byte {
    case 0: return .lineEnd
    case 1: return .end
    case 2:
      guard let right = try reader.next(), let up = try reader.next() else { return .cut }
      return .move(Int(right), Int(up))
    default: return .absolute(Int(byte))
    }
  }

  private var isNarrow: Bool { header.compression == .runs4 }

  /// The bytes that uncompressed indices take, padded to a multiple of two.
  private func paddedBytes(_ count: Int) -> Int { ((isNarrow ? (count + 1) / 2 : count) + 1) / 2 * 2 }

  private mutating func fill(_ count: Int, narrow: (Int) -> UInt8, wide: () -> UInt8) {
    for index in 0..<min(count, row.count - x) {
      row[x + index] = colors[Int(isNarrow ? narrow(index) : wide())]
    }
    x = min(x + count, row.count)
  }

  private mutating func readIndices(_ count: Int) throws(ImageError) -> Bool {
    for index in 0..<paddedBytes(count) {
      guard let byte = try reader.next() else { return false }
      let perByte = isNarrow ? 2 : 1
      let left = count - index * perByte
      if left > 0 {
        fill(min(left, perByte)) {
          $0 == 0 ? byte >> 4 : byte & 15
        } wide: {
          byte
        }
      }
    }
    return true
  }

  private mutating func finishRow(_ rows: ImageRows) throws(ImageError) {
    try row.pushed(to: rows)
    for index in row.indices { row[index] = colors[0] }
    x = 0
  }

  private mutating func cut(_ rows: ImageRows) throws(ImageError) -> Wound? {
    // Only the code that ends the picture is missing.
    if rows.count == header.size.height - 1 && x == row.count {
      try finishRow(rows)
      return Wound("the file ends without the code of its end", sparesPixels: true)
    }
    return Wound("the file ends within the pixels, after \(rows.count) rows")
  }
}
