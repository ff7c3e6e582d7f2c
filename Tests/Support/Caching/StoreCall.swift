import EaselCore

/// One recorded call of a store.
public enum StoreCall: Hashable, Sendable {
  /// A query for an entry.
  case query(CacheKey)
  /// A store of an entry.
  case store(CacheKey)
  /// A renewal of the record of an original.
  case renew(CacheKey)
  /// A removal of an entry.
  case remove(CacheKey)
  /// A question whether there is an entry.
  case contains(CacheKey)
  /// A removal of all entries.
  case clear
  /// A removal of old entries.
  case trim
  /// A request for the number of entries.
  case count
  /// A request for the size of the entries.
  case size
}
