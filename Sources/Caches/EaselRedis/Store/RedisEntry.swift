import EaselCore
import EaselRecords
import FoundationEssentials

/// Writes and reads an entry as a value: epoch and generation, which scripts read, the digest of the key, and the
/// entry.
package enum RedisEntry {
  /// The head consists of magic, epoch and generation, and of the digest of the key.
  static let headSize = RedisMark.identityLength + 32

  /// The most bytes of an entry without its body.
  static let overhead = headSize + EntryCoding.overhead

  /// Writes an entry without epoch and generation, which the script adds; returns nil if its record is too long.
  static func encode(_ record: CacheRecord, body: UnsafeRawBufferPointer, digest: String) -> [UInt8]? {
    EntryCoding.encode(record, body: body, after: Array(digest.utf8), isBesideItsKey: true)
  }

  /// Reads the record and the body; returns nil if the value is damaged or not an entry of this key.
  package static func decode(_ value: Data, digest: String) -> (record: CacheRecord, body: Data, epoch: UInt64)? {
    let found = value.withUnsafeBytes { bytes -> (record: CacheRecord, body: Range<Int>, epoch: UInt64)? in
      guard bytes.count >= headSize, let identity = RedisMark.identity(in: bytes),
        bytes[RedisMark.identityLength..<headSize].elementsEqual(digest.utf8),
        let (record, body) = EntryCoding.decode(UnsafeRawBufferPointer(rebasing: bytes[headSize...])),
        record.generation == identity.generation
      else { return nil }
      return (record, body, identity.epoch)
    }
    return found.map { ($0.record, value[(value.startIndex + headSize + $0.body.lowerBound)...], $0.epoch) }
  }
}
