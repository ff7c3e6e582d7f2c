import EaselCore

/// A store that can tell what it has, some entries at a time.
package protocol ListingStore: Sendable {
  /// Some entries from a place on, in no particular order; the first place is the smallest number.
  func listing(from place: Int64) throws -> StoreListing
}

/// A part of what a store has.
package struct StoreListing: Sendable {
  /// An entry without its body.
  package struct Entry: Sendable {
    package let key: CacheKey
    /// The record; nil when it is damaged.
    package let record: CacheRecord?
    package let byteCount: Int

    package init(key: CacheKey, record: CacheRecord?, byteCount: Int) {
      (self.key, self.record, self.byteCount) = (key, record, byteCount)
    }
  }

  package let entries: [Entry]
  /// The place of the next entries; nil at the end.
  package let next: Int64?

  package init(entries: [Entry], next: Int64?) { (self.entries, self.next) = (entries, next) }
}
