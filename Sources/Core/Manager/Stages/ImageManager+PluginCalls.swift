/// Worker threads.
extension ImageManager {
  /// The number of worker threads that plug-ins still hold after their time was over.
  ///
  /// Each such thread was replaced, so other loads continue. If the number stays above zero, a coder, a transformer or
  /// a serializer hangs; the observer of the load was told which one. The managers of a process share their threads,
  /// and so this number.
  public var lostThreadCount: Int { configuration.workers.lostCount }
}

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
