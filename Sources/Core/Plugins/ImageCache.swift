/// Stores pictures and their bytes, and never decodes.
///
/// A load waits at most 10 seconds for a query, and at most 60 seconds for a store on disk. ``memoryEntry(for:)`` and
/// ``layers(for:)`` must not block.
public protocol ImageCache: Sendable {
  /// The entry in memory, looked up on the calling thread.
  func memoryEntry(for key: CacheKey) -> CacheEntry?

  /// The entry from the first of these layers that has one, starting with memory.
  ///
  /// The record is the one that was stored under this key. The manager rejects an entry that was stored under another
  /// key.
  func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit?

  /// The layers that would store an entry under this key; the manager encodes nothing for other layers.
  func layers(for key: CacheKey) -> CacheLayers

  /// Stores an entry in those of the given layers that the cache has: the image in memory, the bytes in the others.
  func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws

  /// Removes the entries of this original that were made from bytes of another generation.
  ///
  /// The remaining entries, including the original, get `response` in their records unless it is nil.
  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers)
    async throws

  /// Removes an entry from the given layers.
  func remove(_ key: CacheKey, from layers: CacheLayers) async throws

  /// The layers that have an entry under a key.
  func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers

  /// Removes all entries from the given layers.
  func clear(_ layers: CacheLayers) async throws

  /// Removes entries that have expired or exceed the limits.
  func trim(_ layers: CacheLayers) async throws

  /// The number of entries in a layer.
  func count(in layer: CacheLayers) async throws -> Int

  /// The number of bytes that all entries of a layer take.
  func size(of layer: CacheLayers) async throws -> Int
}

extension ImageCache {
  /// Returns nil, for a cache that cannot answer immediately.
  public func memoryEntry(for key: CacheKey) -> CacheEntry? { nil }

  /// Returns the layers of this machine: memory and disk.
  public func layers(for key: CacheKey) -> CacheLayers { .local }
}
