import EaselCore

/// One call of a recording cache.
public enum CacheCall: Hashable, Sendable {
  /// Memory was asked for an entry, on the caller's thread.
  case memoryEntry(CacheKey)
  /// Layers were asked for an entry.
  case query(CacheKey, CacheLayers)
  /// An entry was given for layers.
  case store(CacheKey, CacheLayers)
  /// The record of an original was to be renewed.
  case renew(CacheKey)
  /// An entry was to be forgotten by layers.
  case remove(CacheKey, CacheLayers)
  /// It was asked which layers have an entry.
  case contains(CacheKey, CacheLayers)
  /// Layers were to forget everything.
  case clear(CacheLayers)
  /// Layers were to let go of what is old.
  case trim(CacheLayers)
  /// The number of entries of a layer was asked for.
  case count(CacheLayers)
  /// The size of the entries of a layer was asked for.
  case size(CacheLayers)
}
