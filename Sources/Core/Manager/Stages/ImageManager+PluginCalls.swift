/// Handing work to worker threads.
extension ImageManager {
  /// The number of worker threads that plug-ins have not returned from in the time they had, and still hold.
  ///
  /// Each was replaced, so that other loads go on. A number that stays above zero means that a coder, a transformer or a
  /// serializer hangs; the observer of the load was told which. Managers of one process share their threads, and so this
  /// number.
  public var lostThreadCount: Int { configuration.workers.lostCount }
}

/// How long the manager waits for caches.
extension ImageManager {
  /// How long a cache may take to answer a query, or to keep what the caller waits for.
  static let queryTime = Duration.seconds(10)
  /// How long it may take to keep, renew or forget entries while nobody waits.
  static let storeTime = Duration.seconds(60)

  /// How long it may take to remove what a caller wants removed.
  static let removeTime = DiskCalls.tidyTime

  /// Callers wait for what goes to memory.
  static func time(toStoreIn layer: CacheLayers) -> Duration { layer == .memory ? queryTime : storeTime }

  /// Calls a cache and waits no longer than `limit`; a call that hangs is cancelled and left behind.
  func call<Value: Sendable>(
    _ cache: any ImageCache, about key: CacheKey?, within limit: Duration,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // It bounds each call itself, and a load that asks it needs no alarm.
    if cache is TieredCache { return try await body() }
    return try await Patience.wait(atMost: limit, by: configuration.clock) {
      ImageError(
        .cacheFailed, "The cache did not answer within \(limit). The load goes on without it.", subject: key?.readable)
    } for: {
      try await body()
    }
  }
}
