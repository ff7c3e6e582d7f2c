import CEaselRecords
import EaselCore

/// Writes and reads an entry as bytes: a head of fixed size, the record, the response, and the body.
///
/// One checksum covers all of it, so that an entry can be written and read in one request.
package enum EntryCoding {
  private static let magic: [UInt8] = Array("EaselRE\u{1}".utf8)
  /// The head has the magic, the lengths of record, response and body, and the checksum of everything after it.
  private static let headSize = 8 + 4 + 4 + 8 + 8
  /// The longest record or response: a little more than the largest head that a loader accepts.
  private static let longestPart = 1 << 20

  /// The most bytes of an entry without its body.
  package static let overhead = headSize + 2 * longestPart

  /// Writes an entry after the bytes of `head`; returns nil if its record is too long.
  package static func encode(
    _ record: CacheRecord, body: UnsafeRawBufferPointer, after head: [UInt8] = [], isBesideItsKey: Bool = false
  ) -> [UInt8]? {
    let main = RecordCoding.encode(record, isBesideItsKey: isBesideItsKey)
    let response = record.response.map { RecordCoding.encode($0) } ?? []
    guard main.count <= longestPart, response.count <= longestPart else { return nil }
    var bytes = head
    bytes.reserveCapacity(head.count + headSize + main.count + response.count + body.count)
    bytes += magic
    append(UInt32(main.count), to: &bytes)
    append(UInt32(response.count), to: &bytes)
    append(UInt64(body.count), to: &bytes)
    append(UInt64(0), to: &bytes)
    bytes += main
    bytes += response
    bytes.append(contentsOf: body)
    let sum = bytes.withUnsafeBytes { checksum(UnsafeRawBufferPointer(rebasing: $0[head.count...])) }
    let place = head.count + headSize - 8
    withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(place..<place + 8, with: $0) }
    return bytes
  }

  /// Reads the record and the place of the body; returns nil if the bytes are damaged or not an entry.
  package static func decode(_ bytes: UnsafeRawBufferPointer) -> (record: CacheRecord, body: Range<Int>)? {
    guard bytes.count >= headSize, bytes.starts(with: magic) else { return nil }
    let recordLength = Int(number(bytes, at: 8, as: UInt32.self))
    let responseLength = Int(number(bytes, at: 12, as: UInt32.self))
    let bodyLength = number(bytes, at: 16, as: UInt64.self)
    guard recordLength <= longestPart, responseLength <= longestPart, bodyLength <= UInt64(bytes.count),
      headSize + recordLength + responseLength + Int(bodyLength) == bytes.count,
      number(bytes, at: 24, as: UInt64.self) == checksum(bytes)
    else { return nil }
    let start = headSize + recordLength + responseLength
    let response = UnsafeRawBufferPointer(rebasing: bytes[headSize + recordLength..<start])
    let record = RecordCoding.decode(
      UnsafeRawBufferPointer(rebasing: bytes[headSize..<headSize + recordLength]),
      response: response.isEmpty ? nil : response)
    return record.map { ($0, start..<bytes.count) }
  }

  /// Reads the record and the place of the body; returns nil if the bytes are damaged or not an entry.
  package static func decode(_ bytes: [UInt8]) -> (record: CacheRecord, body: Range<Int>)? {
    bytes.withUnsafeBytes { decode($0) }
  }

  /// The checksum of everything after the head.
  ///
  /// The lengths are its seed, so that a changed length is noticed too.
  private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let seed = easel_record_checksum(bytes.baseAddress, headSize - 8, 0)
    let rest = UnsafeRawBufferPointer(rebasing: bytes[headSize...])
    return easel_record_checksum(rest.baseAddress ?? bytes.baseAddress, rest.count, seed)
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func number<Number: FixedWidthInteger>(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, as: Number.Type
  ) -> Number {
    Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }
}
