import EaselCore
import FoundationEssentials

/// The newest information about an original: its generation, and its response after a renewal.
///
/// Entries of other generations are not found. The mark is a small separate value, which stores write only under a
/// condition. If two machines write, the one with the older bytes therefore fails.
package struct OriginalMark {
  /// The record of the newest entry.
  package var newest: CacheRecord
  /// True when the response was renewed after that entry was stored; it is then valid for all entries of the
  /// generation.
  package var isRenewed: Bool

  /// Writes the mark, as an entry whose body is one byte.
  package func encoded() -> [UInt8]? {
    var record = newest
    // The mark omits properties that matter only for the entry itself.
    (record.picture, record.extendedData, record.mimeType, record.encodedSize) = (nil, nil, nil, nil)
    record.keyDigest = nil
    return withUnsafeBytes(of: UInt8(isRenewed ? 1 : 0)) { EntryCoding.encode(record, body: $0) }
  }

  package init(newest: CacheRecord, isRenewed: Bool) {
    self.newest = newest
    self.isRenewed = isRenewed
  }

  package init?(_ bytes: [UInt8]) {
    guard let (record, body) = EntryCoding.decode(bytes), body.count == 1 else { return nil }
    self.init(newest: record, isRenewed: bytes[body.lowerBound] == 1)
  }

  /// The mark after an entry was stored; nil if the entry is outdated, and unchanged if the entry has nothing new.
  package func noting(_ record: CacheRecord) -> OriginalMark? {
    if record.isOlder(than: newest) { return newest.generation == record.generation ? self : nil }
    return OriginalMark(newest: record, isRenewed: false)
  }

  /// The mark after a renewal; nil if the response is older than the one in the mark.
  package func renewed(by response: CacheRecord.Response?, generation: UInt64) -> OriginalMark? {
    if let response, let known = newest.response, response.isOlder(than: known) { return nil }
    var mark = self
    mark.newest.generation = generation
    if let response { (mark.newest.response, mark.isRenewed) = (response, true) }
    return mark
  }

  /// The record of an entry with the renewed response; nil if the entry was made from other bytes.
  package func current(_ record: CacheRecord) -> CacheRecord? {
    guard record.generation == newest.generation else { return nil }
    guard isRenewed, let response = newest.response else { return record }
    var record = record
    if record.response.map({ $0.isOlder(than: response) }) ?? true { record.response = response }
    return record
  }
}
