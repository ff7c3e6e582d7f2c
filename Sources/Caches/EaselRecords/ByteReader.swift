import FoundationEssentials

/// Reads the output of a `ByteWriter`, and throws on any malformed input.
package struct ByteReader {
  package struct Malformed: Error {
    package init() {}
  }

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package var isAtEnd: Bool { offset == bytes.count }

  /// The next byte, without reading past it; nil at the end.
  package var nextByte: UInt8? { isAtEnd ? nil : bytes[offset] }

  package mutating func number() throws(Malformed) -> UInt64 {
    UInt64(littleEndian: try take(8).loadUnaligned(as: UInt64.self))
  }

  package mutating func integer() throws(Malformed) -> Int { Int(Int64(bitPattern: try number())) }

  package mutating func date() throws(Malformed) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number()))
  }

  package mutating func text() throws(Malformed) -> String { String(decoding: try take(try count()), as: UTF8.self) }

  package mutating func data() throws(Malformed) -> Data { Data(try take(try count())) }

  package mutating func byte() throws(Malformed) -> UInt8 { try take(1)[0] }

  package mutating func optional<Value>(_ body: (inout ByteReader) throws(Malformed) -> Value) throws(Malformed)
    -> Value?
  {
    try byte() == 0 ? nil : try body(&self)
  }

  package mutating func count() throws(Malformed) -> Int {
    var result: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 35, by: 7) {
      let byte = try byte()
      result |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return Int(result) }
    }
    throw Malformed()
  }

  private mutating func take(_ count: Int) throws(Malformed) -> UnsafeRawBufferPointer {
    guard count <= bytes.count - offset else { throw Malformed() }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }
}
