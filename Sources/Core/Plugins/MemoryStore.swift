/// Stores entries in memory; its calls must not block for long.
public protocol MemoryStore: Sendable {
  /// The entry under a key; a lookup counts as a use.
  func entry(for key: CacheKey) -> CacheEntry?

  /// Stores an entry and replaces an older one.
  func store(_ entry: CacheEntry, for key: CacheKey)

  /// Removes the entries of this original that were made from other bytes than those of `generation`.
  ///
  /// The remaining entries, that of the original included, get `response` as their record unless it is nil.
  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64)

  /// Removes an entry.
  func remove(_ key: CacheKey)

  /// True when there is an entry under a key; this does not count as a use.
  func contains(_ key: CacheKey) -> Bool

  /// Removes all entries.
  func removeAll()

  /// Removes entries that have expired or exceed the limits.
  func trim()

  /// The number of entries.
  var count: Int { get }

  /// The number of bytes of memory that the entries take.
  var totalCost: Int { get }
}
