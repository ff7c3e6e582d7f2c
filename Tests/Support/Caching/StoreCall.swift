import EaselCore

/// One call of a recording store.
public enum StoreCall: Hashable, Sendable {
  /// An entry was asked for.
  case query(CacheKey)
  /// An entry was given.
  case store(CacheKey)
  /// The record of an original was to be renewed.
  case renew(CacheKey)
  /// An entry was to be forgotten.
  case remove(CacheKey)
  /// It was asked whether an entry is there.
  case contains(CacheKey)
  /// Everything was to be forgotten.
  case clear
  /// What is old was to go.
  case trim
  /// The number of entries was asked for.
  case count
  /// The size of the entries was asked for.
  case size
}
