import CEaselRecords
import EaselCore
import EaselRecords
import FoundationEssentials

/// An entry as the bytes of a value: a head of fixed size, the record, the response, the body.
package enum RedisEntry {
  /// Magic, epoch and generation; the digest of the key; the lengths of record, response and body; the check sum.
  static let headSize = RedisMark.identityLength + 32 + 4 + 4 + 8 + 8
  private static let lengths = RedisMark.identityLength + 32
  /// A response has at most the head that the loader takes, and a little more.
  private static let longestPart = 1 << 20

  /// The most bytes of an entry beside its body.
  static let overhead = headSize + 2 * longestPart

  /// The bytes of an entry; nil if its record is too long.
  static func encode(
    _ record: CacheRecord, body: UnsafeRawBufferPointer, digest: String, epoch: UInt64
  ) -> [UInt8]? {
    var parts: [UInt8] = RecordCoding.encode(record)
    let recordLength = parts.count
    if let response = record.response { parts += RecordCoding.encode(response) }
    guard recordLength <= longestPart, parts.count - recordLength <= longestPart else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headSize + parts.count + body.count)
    bytes += RedisMark.identity(epoch, record.generation).utf8
    bytes += digest.utf8
    append(UInt32(recordLength), to: &bytes)
    append(UInt32(parts.count - recordLength), to: &bytes)
    append(UInt64(body.count), to: &bytes)
    append(UInt64(0), to: &bytes)
    bytes += parts
    bytes.append(contentsOf: body)
    let sum = bytes.withUnsafeBytes { checksum($0) }
    withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(headSize - 8..<headSize, with: $0) }
    return bytes
  }

  /// The record and the body; nil if the value is no entry of this key, or a damaged one.
  package static func decode(_ value: Data, digest: String) -> (record: CacheRecord, body: Data, epoch: UInt64)? {
    let start = value.startIndex
    let found = value.withUnsafeBytes { bytes -> (record: CacheRecord, body: Int, epoch: UInt64)? in
      guard bytes.count >= headSize, let identity = RedisMark.identity(in: bytes[..<RedisMark.identityLength]),
        bytes[RedisMark.identityLength..<lengths].elementsEqual(digest.utf8)
      else { return nil }
      let recordLength = Int(number(bytes, at: lengths, as: UInt32.self))
      let responseLength = Int(number(bytes, at: lengths + 4, as: UInt32.self))
      let bodyLength = number(bytes, at: lengths + 8, as: UInt64.self)
      guard recordLength <= longestPart, responseLength <= longestPart, bodyLength <= UInt64(bytes.count),
        headSize + recordLength + responseLength + Int(bodyLength) == bytes.count,
        number(bytes, at: headSize - 8, as: UInt64.self) == checksum(bytes)
      else { return nil }
      let body = headSize + recordLength + responseLength
      let response = UnsafeRawBufferPointer(rebasing: bytes[headSize + recordLength..<body])
      let record = RecordCoding.decode(
        UnsafeRawBufferPointer(rebasing: bytes[headSize..<headSize + recordLength]),
        response: response.isEmpty ? nil : response)
      guard let record, record.generation == identity.generation else { return nil }
      return (record, body, identity.epoch)
    }
    return found.map { ($0.record, value[(start + $0.body)...], $0.epoch) }
  }

  /// The check sum of all that follows the head, begun with the head, so that a changed length is noticed too.
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
