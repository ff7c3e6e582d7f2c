/// Writes numbers, texts and blocks one after another, for ``MessageReader``.
struct MessageWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

  mutating func add(_ number: Double) { add(number.bitPattern) }

  mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func add(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ numbers: SIMD2<Double>) { for index in 0..<2 { add(numbers[index]) } }

  mutating func add(_ numbers: SIMD3<Double>) { for index in 0..<3 { add(numbers[index]) } }

  mutating func add(_ text: String) { add(block: text.utf8) }

  mutating func add(block: some Collection<UInt8>) {
    add(block.count)
    bytes.append(contentsOf: block)
  }

  /// Adds a flag that tells if there is a value, and then the value.
  mutating func add<Value>(_ value: Value?, _ body: (inout MessageWriter, Value) -> Void) {
    add(value != nil)
    if let value { body(&self, value) }
  }

  mutating func add<Value>(_ values: [Value], _ body: (inout MessageWriter, Value) -> Void) {
    add(values.count)
    for value in values { body(&self, value) }
  }
}
