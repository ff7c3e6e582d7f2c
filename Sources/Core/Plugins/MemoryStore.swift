/// Keeps entries in the memory of the process; its calls never block for long.
public protocol MemoryStore: Sendable {
  /// What is kept under a key; asking counts as use.
  func entry(for key: CacheKey) -> CacheEntry?

  /// Keeps an entry, in place of an older one.
  func store(_ entry: CacheEntry, for key: CacheKey)

  /// Forgets what was made of other bytes of this original than `generation`.
  ///
  /// The rest, itself included, gets a new record of what its server said, where there is one.
  func renew(_ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64)

  /// Forgets an entry.
  func remove(_ key: CacheKey)

  /// Whether something is kept under a key; asking is no use.
  func contains(_ key: CacheKey) -> Bool

  /// Forgets everything.
  func removeAll()

  /// Lets go of what is expired or over the limits.
  func trim()

  /// The number of entries.
  var count: Int { get }

  /// The memory that the entries take.
  var totalCost: Int { get }
}
