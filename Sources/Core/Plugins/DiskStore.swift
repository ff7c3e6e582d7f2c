/// Stores bytes with their records so that they outlive the process.
///
/// Calls may block: they run on worker threads. A lookup that takes more than 5 seconds counts as a miss, and a write
/// that takes more than 30 seconds is abandoned; see ``EaselTiers/TieredCache``.
public protocol DiskStore: Sendable {
  /// The bytes and the record under a key; a lookup counts as a use.
  func entry(for key: CacheKey) throws -> CacheEntry?

  /// Stores the bytes and the record of an entry, and replaces an older one.
  ///
  /// The image of the entry is ignored.
  func store(_ entry: CacheEntry, for key: CacheKey) throws

  /// Removes the entries of this original that were made from other bytes than those of `generation`.
  ///
  /// The remaining entries, that of the original included, get `response` as their record unless it is nil.
  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) throws

  /// Removes an entry.
  func remove(_ key: CacheKey) throws

  /// True when there is an entry under a key; this does not count as a use.
  func contains(_ key: CacheKey) throws -> Bool

  /// Removes all entries.
  func removeAll() throws

  /// Removes entries that have expired or exceed the limits.
  func trim() throws

  /// The number of entries.
  func count() throws -> Int

  /// The number of bytes that the entries take.
  func totalSize() throws -> Int
}
