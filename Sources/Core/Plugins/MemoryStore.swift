/// Stores entries in memory; its calls must not block for long.
public protocol MemoryStore: Sendable {
  /// The entry under a key; the lookup counts as a use.
  func entry(for key: CacheKey) -> CacheEntry?

  /// Stores an entry, and replaces an older entry.
  func store(_ entry: CacheEntry, for key: CacheKey)

  /// Removes the entries of this original that were made from bytes of another generation.
  ///
  /// The remaining entries, including the original, get `response` in their records unless it is nil.
  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64)

  /// Removes an entry.
  func remove(_ key: CacheKey)

  /// True when there is an entry under a key; the question does not count as a use.
  func contains(_ key: CacheKey) -> Bool

  /// Removes all entries.
  func removeAll()

  /// Removes entries that have expired or exceed the limits.
  func trim()

  /// The number of entries.
  var count: Int { get }

  /// The number of bytes of memory that all entries take.
  var totalCost: Int { get }
}
