import EaselCore
import EaselTiers
import EaselWorkers

/// Calls of a cache, each of which takes a limited time; a call that hangs is cancelled and left behind.
struct CacheCalls: Sendable {
  /// The time limit for a query, and for a store that the caller waits for.
  private static let queryTime = Duration.seconds(10)
  /// The time limit for storing and renewing entries while no caller waits.
  private static let storeTime = Duration.seconds(60)
  /// The time limit for removals that a caller requested.
  static let removeTime = DiskCalls.tidyTime

  let cache: any ImageCache
  let clock: any ImageClock

  func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheHit? {
    try await call(about: key, within: Self.queryTime) { try await cache.query(key, in: layers) }
  }

  /// Stores an entry, which names its key from then on.
  func store(_ entry: CacheEntry, for key: CacheKey, in layer: CacheLayers) async throws {
    try await call(about: key, within: Self.time(toStoreIn: layer)) {
      try await cache.store(entry.bound(to: key), for: key, in: layer)
    }
  }

  /// Removes an entry that cannot be used.
  func remove(_ key: CacheKey, from layers: CacheLayers) async throws {
    try await call(about: key, within: Self.queryTime) { try await cache.remove(key, from: layers) }
  }

  func renew(
    _ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64, in layer: CacheLayers
  ) async throws {
    try await call(about: key, within: Self.time(toStoreIn: layer)) {
      try await cache.renew(response, ofOriginal: key, generation: generation, in: layer)
    }
  }

  func call<Value: Sendable>(
    about key: CacheKey?, within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // A `TieredCache` limits each call itself, so this call needs no timer.
    if cache is TieredCache { return try await body() }
    return try await Patience.wait(atMost: limit, by: clock) {
      ImageError(
        .cacheFailed, "The cache did not answer within \(limit). The load goes on without it.", subject: key?.readable)
    } for: {
      try await body()
    }
  }

  /// It is short for memory, because callers wait for that.
  private static func time(toStoreIn layer: CacheLayers) -> Duration { layer == .memory ? queryTime : storeTime }
}

extension Run {
  func calls(_ cache: any ImageCache) -> CacheCalls { CacheCalls(cache: cache, clock: clock) }
}
