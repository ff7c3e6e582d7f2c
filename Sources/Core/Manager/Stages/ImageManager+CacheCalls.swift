/// Time limits for calls of caches.
extension ImageManager {
  /// The time limit for a query, and for a store that the caller waits for.
  static let queryTime = Duration.seconds(10)
  /// The time limit for storing, renewing or removing entries while no caller waits.
  static let storeTime = Duration.seconds(60)

  /// The time limit for removals that a caller requested.
  static let removeTime = DiskCalls.tidyTime

  /// The time limit for a store.
  ///
  /// It is short for memory, because callers wait for that.
  static func time(toStoreIn layer: CacheLayers) -> Duration { layer == .memory ? queryTime : storeTime }

  /// Calls a cache and waits no longer than `limit`; a call that hangs is cancelled and left behind.
  func call<Value: Sendable>(
    _ cache: any ImageCache, about key: CacheKey?, within limit: Duration,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // A `TieredCache` limits each call itself, so this call needs no timer.
    if cache is TieredCache { return try await body() }
    return try await Patience.wait(atMost: limit, by: configuration.clock) {
      ImageError(
        .cacheFailed, "The cache did not answer within \(limit). The load goes on without it.", subject: key?.readable)
    } for: {
      try await body()
    }
  }
}
