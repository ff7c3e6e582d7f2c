/// Reads the output of ``MessageWriter``; throws if a message has another form.
///
/// The author of a picture may have written the messages of its child.
struct MessageReader {
  /// The message is not what the reader expects.
  struct Malformed: Error {}

  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var left: Int { bytes.count - place }

  mutating func int() throws(Malformed) -> Int { Int(Int64(bitPattern: try word())) }

  mutating func double() throws(Malformed) -> Double { Double(bitPattern: try word()) }

  mutating func flag() throws(Malformed) -> Bool {
    let part = try take(1)
    return bytes[part.lowerBound] != 0
  }

  mutating func word() throws(Malformed) -> UInt64 {
    try take(8).reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
  }

  mutating func vector2() throws(Malformed) -> SIMD2<Double> { SIMD2(try double(), try double()) }

  mutating func vector3() throws(Malformed) -> SIMD3<Double> { SIMD3(try double(), try double(), try double()) }

  mutating func block() throws(Malformed) -> ArraySlice<UInt8> {
    let count = try int()
    guard count >= 0, count <= left else { throw Malformed() }
    return bytes[try take(count)]
  }

  /// A text; bytes that are not UTF-8 are replaced.
  mutating func text() throws(Malformed) -> String { String(decoding: try block(), as: UTF8.self) }

  mutating func optional<Value>(
    _ body: (inout MessageReader) throws(Malformed) -> Value
  ) throws(Malformed) -> Value? {
    try flag() ? try body(&self) : nil
  }

  /// A list whose values take at least one byte each.
  mutating func list<Value>(
    _ body: (inout MessageReader) throws(Malformed) -> Value
  ) throws(Malformed) -> [Value] {
    let count = try int()
    guard count >= 0, count <= left else { throw Malformed() }
    var values: [Value] = []
    for _ in 0..<count { values.append(try body(&self)) }
    return values
  }

  private mutating func take(_ count: Int) throws(Malformed) -> Range<Int> {
    guard count <= left else { throw Malformed() }
    defer { place += count }
    return place..<place + count
  }
}
