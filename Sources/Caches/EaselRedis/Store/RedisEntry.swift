import EaselCore
import EaselRecords
import FoundationEssentials

/// An entry as the bytes of a value: epoch and generation, which scripts read, the digest of the key, the entry itself.
package enum RedisEntry {
  /// Magic, epoch and generation; the digest of the key.
  static let headSize = RedisMark.identityLength + 32

  /// The most bytes of an entry beside its body.
  static let overhead = headSize + EntryCoding.overhead

  /// The bytes of an entry behind its identity, which the script adds; nil if its record is too long.
  static func encode(_ record: CacheRecord, body: UnsafeRawBufferPointer, digest: String) -> [UInt8]? {
    EntryCoding.encode(record, body: body, after: Array(digest.utf8), isBesideItsKey: true)
  }

  /// The record and the body; nil if the value is no entry of this key, or a damaged one.
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
