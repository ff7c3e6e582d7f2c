import EaselSupport

/// Stores bytes with their records in a service that several machines use.
///
/// It is the layer behind memory and disk of a ``EaselTiers/TieredCache``. The cache limits the time of each call and
/// does not ask a store that fails; see ``EaselTiers/TieredCache/SharedStoreSettings``. A store therefore needs no time
/// limits of its own. A call that takes too long is cancelled, and its result is ignored.
///
/// A store must never replace newer bytes of an original with older ones, because a slow machine may store late: use
/// ``CacheRecord/isOlder(than:)``. The right response to such a call is to do nothing.
public protocol SharedStore: Sendable {
  /// The bytes and the record under a key; nil if there are none, or if they are damaged.
  func entry(for key: CacheKey) async throws -> CacheEntry?

  /// Stores the bytes and the record of an entry, and replaces an older entry.
  ///
  /// The image of the entry is ignored. An entry is ignored if the store has a newer one of its original.
  func store(_ entry: CacheEntry, for key: CacheKey) async throws

  /// Removes the entries of this original that were made from bytes of another generation.
  ///
  /// The remaining entries, including the original, get `response` in their records unless it is nil. A response is
  /// ignored if the store has a newer one of the original. The store need not remove entries of other generations, as
  /// long as it never finds them again.
  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws

  /// Removes an entry.
  func remove(_ key: CacheKey) async throws

  /// True when there is an entry under a key.
  ///
  /// A cache also calls this to learn whether a failed store works again.
  func contains(_ key: CacheKey) async throws -> Bool

  /// Removes all entries, or makes sure that no machine finds them again.
  func removeAll() async throws

  /// The number of entries; nil if the engine would have to look at all of them.
  func count() async throws -> Int?

  /// The number of bytes that all entries take; nil if the engine would have to look at all of them.
  func totalSize() async throws -> Int?
}

extension SharedStore {
  /// Returns nil, for an engine that does not count.
  public func count() async throws -> Int? { nil }

  /// Returns nil, for an engine that does not count.
  public func totalSize() async throws -> Int? { nil }
}

extension CacheRecord {
  /// True when this record is of an earlier version of the original than the other record.
  ///
  /// If both responses have a date of the server, these dates decide. Otherwise the times decide at which the responses
  /// arrived, or at which the entries were stored.
  public func isOlder(than other: CacheRecord) -> Bool {
    if let response, let newer = other.response { return response.isOlder(than: newer) }
    return stored < other.stored
  }
}

extension CacheRecord.Response {
  /// True when the server sent this response before the other one.
  ///
  /// If both responses have a date of the server, these dates decide. Otherwise the times of arrival decide.
  public func isOlder(than other: CacheRecord.Response) -> Bool {
    if let date = headers["Date"].flatMap({ HTTPDate.parse($0) }),
      let newer = other.headers["Date"].flatMap({ HTTPDate.parse($0) }), date != newer
    {
      return date < newer
    }
    return received < other.received
  }
}
