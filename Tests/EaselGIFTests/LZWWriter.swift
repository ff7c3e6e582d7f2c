/// Compresses indices for a GIF with a given first code size; a full table is never cleared.
struct LZWWriter {
  private let codeSize: Int
  private var table: [[UInt8]: Int] = [:]
  private var next: Int
  private var length: Int
  private var bits = 0
  private var bitCount = 0
  private var bytes: [UInt8] = []

  static func data(_ indices: [UInt8], codeSize: Int) -> [UInt8] {
    var writer = LZWWriter(codeSize: codeSize)
    writer.write(indices)
    return writer.bytes
  }

  private init(codeSize: Int) {
    self.codeSize = codeSize
    for index in 0..<min(256, 1 << codeSize) { table[[UInt8(index)]] = index }
    next = (1 << codeSize) + 2
    length = codeSize + 1
  }

  private mutating func write(_ indices: [UInt8]) {
    append(1 << codeSize)
    var string: [UInt8] = []
    for index in indices {
      if table[string + [index]] != nil {
        string.append(index)
        continue
      }
      append(table[string]!)
      if next < 4096 {
        table[string + [index]] = next
        // The reader adds each code one step later.
        if next == 1 << length && length < 12 { length += 1 }
        next += 1
      }
      string = [index]
    }
    if !string.isEmpty { append(table[string]!) }
    if next == 1 << length && length < 12 { length += 1 }
    append((1 << codeSize) + 1)
    if bitCount > 0 { bytes.append(UInt8(bits)) }
  }

  private mutating func append(_ code: Int) {
    bits |= code << bitCount
    bitCount += length
    while bitCount >= 8 {
      bytes.append(UInt8(bits & 255))
      bits >>= 8
      bitCount -= 8
    }
  }
}
