import EaselSupport

/// Stores bytes with their records on an engine that several machines use.
///
/// It is the layer behind memory and disk of a ``EaselTiers/TieredCache``, which limits the time of each call and passes
/// over a store that fails; see ``EaselTiers/TieredCache/SharedStoreSettings``. So a store need not have time limits of
/// its own. A call that is over its time is cancelled, and whatever it returns then is thrown away.
///
/// A store must never let older bytes of an original replace newer ones, because a slow machine may store late: use
/// ``CacheRecord/isOlder(than:)``. Doing nothing is the right answer to such a call.
public protocol SharedStore: Sendable {
  /// The bytes and the record under a key; nil if there are none, or if they were damaged.
  func entry(for key: CacheKey) async throws -> CacheEntry?

  /// Stores the bytes and the record of an entry, and replaces an older one.
  ///
  /// The image of the entry is ignored. An entry that is older than what the store knows of its original is ignored.
  func store(_ entry: CacheEntry, for key: CacheKey) async throws

  /// Removes the entries of this original that were made from other bytes than those of `generation`.
  ///
  /// The remaining entries, that of the original included, get `response` as their record unless it is nil. A response
  /// that is older than what the store knows of the original is ignored. The store need not remove entries of other
  /// generations, as long as it never finds them again.
  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws

  /// Removes an entry.
  func remove(_ key: CacheKey) async throws

  /// True when there is an entry under a key.
  ///
  /// A cache also asks this to learn if a store that has failed is back.
  func contains(_ key: CacheKey) async throws -> Bool

  /// Removes all entries, or makes sure that no machine finds them again.
  func removeAll() async throws

  /// The number of entries; nil if the engine cannot tell without looking at all of them.
  func count() async throws -> Int?

  /// The number of bytes that the entries take; nil if the engine cannot tell without looking at all of them.
  func totalSize() async throws -> Int?
}

extension SharedStore {
  /// Returns nil, for an engine that cannot tell.
  public func count() async throws -> Int? { nil }

  /// Returns nil, for an engine that cannot tell.
  public func totalSize() async throws -> Int? { nil }
}

extension CacheRecord {
  /// True when the original had these bytes before it had those of the other record.
  ///
  /// The server's own dates decide if both responses have one, otherwise the time at which they arrived, or at which
  /// the entries were stored.
  public func isOlder(than other: CacheRecord) -> Bool {
    if let response, let newer = other.response { return response.isOlder(than: newer) }
    return stored < other.stored
  }
}

extension CacheRecord.Response {
  /// True when the server sent this response before the other one.
  ///
  /// The server's own dates decide if both responses have one, otherwise the time at which they arrived.
  public func isOlder(than other: CacheRecord.Response) -> Bool {
    if let date = headers["Date"].flatMap({ HTTPDate.parse($0) }),
      let newer = other.headers["Date"].flatMap({ HTTPDate.parse($0) }), date != newer
    {
      return date < newer
    }
    return received < other.received
  }
}
