/// Keeps pictures and bytes, and never decodes.
///
/// A load waits no longer than 10 seconds for a query, and 60 for what goes to disk. ``memoryEntry(for:)`` and
/// ``layers(for:)`` are called where they must not block.
public protocol ImageCache: Sendable {
  /// What memory holds, answered on the caller's thread.
  func memoryEntry(for key: CacheKey) -> CacheEntry?

  /// What the first of these layers that has it holds, memory first.
  func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheHit?

  /// The layers that would keep something under this key; nothing is encoded for others.
  func layers(for key: CacheKey) -> CacheLayers

  /// Keeps the image of an entry in memory and its bytes on disk, as far as `layers` says and as far as it has them.
  func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws

  /// Forgets what was made of other bytes of this original than `generation`.
  ///
  /// The rest, itself included, gets a new record of what its server said, where there is one.
  func renew(_ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers)
    async throws

  /// Forgets an entry.
  func remove(_ key: CacheKey, from layers: CacheLayers) async throws

  /// The layers that hold an entry.
  func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers

  /// Forgets everything.
  func clear(_ layers: CacheLayers) async throws

  /// Lets go of what is expired or over the limits.
  func trim(_ layers: CacheLayers) async throws

  /// The number of entries.
  func count(in layer: CacheLayers) async throws -> Int

  /// The bytes that entries take.
  func size(of layer: CacheLayers) async throws -> Int
}

extension ImageCache {
  /// Nothing, for a cache that cannot answer at once.
  public func memoryEntry(for key: CacheKey) -> CacheEntry? { nil }

  /// All of them.
  public func layers(for key: CacheKey) -> CacheLayers { .all }
}

/// What a cache found, and where.
public struct CacheHit: Sendable {
  /// What it found.
  public let entry: CacheEntry
  /// The one layer that had it.
  public let layer: CacheLayers

  /// Creates a hit.
  public init(_ entry: CacheEntry, in layer: CacheLayers) {
    self.entry = entry
    self.layer = layer
  }
}
