import FoundationEssentials

/// Writes values one after another, for a `ByteReader` to read back.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(byte: UInt8) { bytes.append(byte) }

  mutating func write(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ value: Int) { write(UInt64(bitPattern: Int64(value))) }

  mutating func write(_ date: Date) { write(date.timeIntervalSinceReferenceDate.bitPattern) }

  mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      writeCount(utf8.count)
      bytes.append(contentsOf: utf8)
    }
  }

  mutating func write(_ data: Data) {
    writeCount(data.count)
    bytes.append(contentsOf: data)
  }

  mutating func write<Value>(_ value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
    bytes.append(value == nil ? 0 : 1)
    if let value { body(&self, value) }
  }

  /// Writes a number in as few bytes as it needs; for numbers that are mostly small.
  mutating func writeCount(_ count: Int) {
    var rest = UInt64(count)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
