import EaselCore
import EaselHTTP
import EaselTiers
import EaselWorkers

/// Looks in memory, on the calling thread and without waiting.
enum MemoryLookup {
  /// The finished picture, if it may be used without asking the server.
  static func picture(_ request: ResolvedRequest, by manager: ImageManager) -> MemoryHit? {
    guard request.layers.query.contains(.memory), !request.options.contains(.refreshCached),
      let entry = request.cache.memoryEntry(for: request.variantKey), let image = entry.image,
      entry.belongs(to: request.variantKey),
      // Reading the record copies it, so it is read only when the answer depends on it.
      request.accepts(image),
      request.cachePolicy != .http || request.cacheUse.isFresh(entry.record, by: manager.configuration.clock)
    else { return nil }
    return MemoryHit(image: image, entry: entry)
  }

  /// The encoded bytes, if they may be used without asking the server.
  static func encoded(_ request: ResolvedRequest, by manager: ImageManager) -> EncodedImage? {
    guard request.layers.encodedQuery.contains(.memory), !request.options.contains(.refreshCached),
      request.form != nil, let entry = request.cache.memoryEntry(for: request.resultKey),
      entry.belongs(to: request.resultKey),
      request.cachePolicy != .http || request.cacheUse.isFresh(entry.record, by: manager.configuration.clock)
    else { return nil }
    return EncodedImage(entry, for: request, by: manager.configuration.clock)
  }
}

/// A usable picture in memory.
struct MemoryHit {
  let image: Image
  let entry: CacheEntry

  var product: Product {
    Product(
      ProductParts(content: .picture(image, bytes: entry.bytes), source: .memory, record: entry.record))
  }
}

/// Looks up entries in caches, once for all callers who ask for the same.
struct Lookup: Sendable {
  let run: Run

  /// Finds a usable entry of the right key; a cache that fails counts as a miss.
  @inline(never)
  func find(_ question: Question) async throws -> CacheEntry.Hit? {
    var layers = question.layers
    if !run.shared.mayAskSharedStore { layers.subtract(.shared) }
    guard !layers.isEmpty, let hit = try await hit(question, layers), try await Fleet(run: run).trusts(hit, question)
    else { return nil }
    return hit
  }

  private func hit(_ question: Question, _ layers: CacheLayers) async throws -> CacheEntry.Hit? {
    var layers = layers
    do {
      while !layers.isEmpty {
        let hit = try await query(question, layers)
        try Task.checkCancellation()
        guard let hit else { return nil }
        guard run.accepts(hit.entry, of: question.key, from: hit.layer) else {
          // The following layers may have the right entry.
          guard layers.contains(hit.layer) else { return nil }
          layers.subtract(hit.layer.isEmpty ? layers : hit.layer)
          continue
        }
        guard run.request.cacheUse.matches(hit.entry.record) else { return nil }
        run.report(.cacheHit(hit.layer))
        return hit
      }
    } catch {
      try Task.checkCancellation()
      run.report(error, of: question.key)
    }
    return nil
  }

  private func query(_ question: Question, _ layers: CacheLayers) async throws -> CacheEntry.Hit? {
    let calls = run.calls(question.cache)
    guard question.isShared else { return try await calls.query(question.key, in: layers) }
    let key = LookupKey(key: question.key, layers: layers, cache: question.instance)
    return try await run.manager.lookupRuns.value(for: key, place: RunPlace(for: run.shared)) { _ in
      try await calls.query(question.key, in: layers)
    }
  }
}

/// A question to a cache.
struct Question: Sendable {
  let key: CacheKey
  let cache: any ImageCache
  let instance: PluginInstance
  var layers: CacheLayers
  /// False if only one run needs the answer; a shared run would cost as much again as the lookup.
  var isShared = true

  /// The question for the result of a request.
  static func result(of request: ResolvedRequest) -> Question {
    let layers = request.form == nil ? request.layers.query : request.layers.encodedQuery
    return Question(
      key: request.resultKey, cache: request.cache, instance: request.cacheInstance, layers: layers,
      isShared: request.form == nil)
  }

  /// The question for the original that a result is made from.
  static func original(of request: ResolvedRequest) -> Question {
    Question(
      key: request.originalKey, cache: request.originalCache, instance: request.originalCacheInstance,
      layers: request.layers.queryOfBytes)
  }
}

/// Calls a cache with a time limit; a call that hangs is cancelled and abandoned.
struct CacheCalls: Sendable {
  /// The time limit for a query, and for a store that the caller waits for.
  private static let queryTime = Duration.seconds(10)
  /// The time limit for storing and renewing entries while no caller waits.
  private static let storeTime = Duration.seconds(60)
  /// The time limit for removals that a caller requested.
  static let removeTime = DiskStoreCalls.tidyTime

  let cache: any ImageCache
  let clock: any ImageClock

  func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? {
    try await call(about: key, within: Self.queryTime) { try await cache.query(key, in: layers) }
  }

  /// Stores an entry; from then on its record names the key.
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
    _ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layer: CacheLayers
  ) async throws {
    try await call(about: key, within: Self.time(toStoreIn: layer)) {
      try await cache.renew(response, ofOriginal: key, generation: generation, in: layer)
    }
  }

  func call<Value: Sendable>(
    about key: CacheKey?, within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // A `TieredCache` limits the time of each call itself, so this call needs no timer.
    if cache is TieredCache { return try await body() }
    return try await Timeout.wait(atMost: limit, by: clock) {
      ImageError(
        .cacheFailed, "The cache did not answer within \(limit). The load goes on without it.", subject: key?.readable)
    } for: {
      try await body()
    }
  }

  /// The limit is short for memory, because callers wait for that.
  private static func time(toStoreIn layer: CacheLayers) -> Duration { layer == .memory ? queryTime : storeTime }
}
