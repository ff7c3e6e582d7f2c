import EaselCore

/// One recorded call of a cache.
public enum CacheCall: Hashable, Sendable {
  /// The synchronous lookup of an entry in memory.
  case memoryEntry(CacheKey)
  /// A query for an entry in layers.
  case query(CacheKey, CacheLayers)
  /// A store of an entry in layers.
  case store(CacheKey, CacheLayers)
  /// A renewal of the record of an original.
  case renew(CacheKey)
  /// A removal of an entry from layers.
  case remove(CacheKey, CacheLayers)
  /// A question which layers have an entry.
  case contains(CacheKey, CacheLayers)
  /// A removal of all entries from layers.
  case clear(CacheLayers)
  /// A removal of old entries from layers.
  case trim(CacheLayers)
  /// A request for the number of entries of a layer.
  case count(CacheLayers)
  /// A request for the size of the entries of a layer.
  case size(CacheLayers)
}
