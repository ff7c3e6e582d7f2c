import FoundationEssentials

/// Writes values one after another, for a `ByteReader` to read back.
package struct ByteWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(byte: UInt8) { bytes.append(byte) }

  package mutating func write(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func write(_ value: Int) { write(UInt64(bitPattern: Int64(value))) }

  package mutating func write(_ date: Date) { write(date.timeIntervalSinceReferenceDate.bitPattern) }

  package mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      writeCount(utf8.count)
      bytes.append(contentsOf: utf8)
    }
  }

  package mutating func write(_ data: Data) {
    writeCount(data.count)
    bytes.append(contentsOf: data)
  }

  package mutating func write<Value>(_ value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
    bytes.append(value == nil ? 0 : 1)
    if let value { body(&self, value) }
  }

  /// Writes a number in as few bytes as possible, for numbers that are mostly small.
  package mutating func writeCount(_ count: Int) {
    var rest = UInt64(count)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
