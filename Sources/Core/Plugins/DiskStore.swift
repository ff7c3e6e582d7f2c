/// Stores bytes with their records so that they outlive the process.
///
/// Calls may block: they run on worker threads. A lookup that takes more than 5 seconds counts as a miss, and a write
/// that takes more than 30 seconds is abandoned; see ``EaselTiers/TieredCache``.
public protocol DiskStore: Sendable {
  /// The bytes and the record under a key; the lookup counts as a use.
  func entry(for key: CacheKey) throws -> CacheEntry?

  /// Stores the bytes and the record of an entry, and replaces an older entry.
  ///
  /// The image of the entry is ignored.
  func store(_ entry: CacheEntry, for key: CacheKey) throws

  /// Removes the entries of this original that were made from bytes of another generation.
  ///
  /// The remaining entries, including the original, get `response` in their records unless it is nil.
  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) throws

  /// Removes an entry.
  func remove(_ key: CacheKey) throws

  /// True when there is an entry under a key; the question does not count as a use.
  func contains(_ key: CacheKey) throws -> Bool

  /// Removes all entries.
  func removeAll() throws

  /// Removes entries that have expired or exceed the limits.
  func trim() throws

  /// The number of entries.
  func count() throws -> Int

  /// The number of bytes that all entries take.
  func totalSize() throws -> Int
}
