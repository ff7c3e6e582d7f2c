import EaselCore
import EaselTiers
import EaselWorkers

/// Calling caches and other plug-ins for a run.
extension ManagerRun {
  /// Looks up an entry in a cache, together with everyone who does the same.
  ///
  /// A cache that fails counts as a miss.
  func lookUp(
    _ key: CacheKey, in cache: any ImageCache, _ instance: PluginInstance, layers: CacheLayers
  ) async throws -> CacheHit? {
    try await hit(key, layers) { [manager] layers in
      let question = LookupKey(key: key, layers: layers, cache: instance)
      return try await value(from: manager.lookupRuns, for: question) { _ in
        try await manager.query(key, in: cache, layers: layers)
      }
    }
  }

  /// Looks up an entry that only this run needs; a run of its own would cost the lookup as much again.
  func lookUpAlone(_ key: CacheKey, in cache: any ImageCache, layers: CacheLayers) async throws -> CacheHit? {
    try await hit(key, layers) { [manager] in try await manager.query(key, in: cache, layers: $0) }
  }

  /// The layers that may be asked: without the shared store after it failed in this run.
  private func mayAsk(_ layers: CacheLayers) -> CacheLayers {
    layers.contains(.shared) && !shared.mayAskSharedStore ? layers.subtracting(.shared) : layers
  }

  private func hit(
    _ key: CacheKey, _ layers: CacheLayers, _ query: (CacheLayers) async throws -> CacheHit?
  ) async throws -> CacheHit? {
    var layers = mayAsk(layers)
    do {
      while !layers.isEmpty {
        let hit = try await query(layers)
        try Task.checkCancellation()
        guard let hit else { return nil }
        guard belongs(hit.entry, to: key, in: hit.layer) else {
          // The layers behind it may have the right one.
          guard layers.contains(hit.layer) else { return nil }
          layers.subtract(hit.layer.isEmpty ? layers : hit.layer)
          continue
        }
        guard request.matches(hit.entry.record) else { return nil }
        report(.cacheHit(hit.layer))
        return hit
      }
      return nil
    } catch {
      try Task.checkCancellation()
      report(error, of: key)
      return nil
    }
  }

  /// True for an entry of this key; observers are told of one that was stored under another key.
  func belongs(_ entry: CacheEntry, to key: CacheKey, in layer: CacheLayers) -> Bool {
    if entry.belongs(to: key) { return true }
    report(
      ImageError(
        .cacheFailed,
        "A store gave the entry of another key (\(ImageSource(layer))). It counts as missing. Check the store.",
        subject: key.readable), of: key)
    return false
  }

  /// Tells the observers that a cache failed; the load goes on.
  ///
  /// A shared store that is passed over is no news.
  func report(_ error: any Error, of key: CacheKey) {
    if let trouble = (error as? ImageError)?.sharedStoreTrouble {
      shared.leaveOutSharedStore()
      if trouble == .passedOver { return }
    }
    report(
      .cacheFailed(.wrapping(error, as: .cacheFailed, "A cache failed; the load goes on.", subject: key.readable)))
  }

  /// Runs a plug-in on a worker thread, and waits no longer than `work` allows.
  ///
  /// The plug-in is cancelled when nobody wants its result any more.
  func onWorker<Value: Sendable>(
    _ call: PluginCall, _ work: WorkContext, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let workers =
      if case .reading = call { manager.configuration.readers } else { manager.configuration.workers }
    let clock = manager.configuration.clock
    let started = clock.uptime
    do {
      let value = try await workers.run(at: shared.priority, terms(of: call, work), body)
      try Task.checkCancellation()
      return value
    } catch {
      throw call.slowWork?.noted(in: error, after: clock.uptime - started, of: work) ?? error
    }
  }

  /// The terms of a plug-in call.
  ///
  /// Observers are told when the plug-in does not return.
  func terms(of call: PluginCall, _ work: WorkContext) -> JobTerms {
    JobTerms(work.time) { [essence] in
      let failure = call.failure(of: work, subject: essence.request.subject)
      essence.report(.threadLost(failure))
      return failure
    }
  }

  /// Makes the context of a plug-in call; `response` is the head that came before the bytes.
  func newWork(response: ResponseHead? = nil) -> WorkContext {
    var work = WorkContext(
      limits: request.limits, context: request.context, cancellation: shared.cancellation,
      clock: manager.configuration.clock)
    work.url = request.bytesAtHand == nil ? request.url : nil
    work.response = response
    return work
  }
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

  func query(_ key: CacheKey, in cache: any ImageCache, layers: CacheLayers) async throws -> CacheHit? {
    try await call(cache, about: key, within: Self.queryTime) { try await cache.query(key, in: layers) }
  }

  /// Stores an entry, which names its key from then on.
  func store(
    _ entry: CacheEntry, for key: CacheKey, in cache: any ImageCache, _ layer: CacheLayers, within limit: Duration
  ) async throws {
    try await call(cache, about: key, within: limit) {
      try await cache.store(entry.bound(to: key), for: key, in: layer)
    }
  }

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
