/// Keeps bytes with their record where they outlive the process.
///
/// Its calls block: they run on worker threads. A lookup that takes more than 5 seconds is a miss, and what takes more
/// than 30 to write is given up; see ``TieredCache``.
public protocol DiskStore: Sendable {
  /// The bytes and the record under a key; asking counts as use.
  func entry(for key: CacheKey) throws -> CacheEntry?

  /// Keeps the bytes and the record of an entry, in place of an older one; its image is not its business.
  func store(_ entry: CacheEntry, for key: CacheKey) throws

  /// Forgets what was made of other bytes of this original than `generation`.
  ///
  /// The rest, itself included, gets a new record of what its server said, where there is one.
  func renew(_ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64) throws

  /// Forgets an entry.
  func remove(_ key: CacheKey) throws

  /// Whether something is kept under a key; asking is no use.
  func contains(_ key: CacheKey) throws -> Bool

  /// Forgets everything.
  func removeAll() throws

  /// Lets go of what is expired or over the limits.
  func trim() throws

  /// The number of entries.
  func count() throws -> Int

  /// The bytes that the entries take.
  func totalSize() throws -> Int
}
