import EaselCore
import EaselSupport
import EaselTiers

/// The life of a request, shared by everyone who waits for the same result: from the caches, or else from the loader.
protocol ResultRun: StoringRun {
  associatedtype Parts: StorableParts
  typealias Result = Boxed<Parts>

  /// The runs of this kind that a manager shares.
  static func table(of manager: ImageManager) -> ResultRuns<Parts>

  init(manager: ImageManager, request: ResolvedRequest, turn: StoreTurn, shared: SharedRun)

  /// The place of this run's claim among several processes; nil if it claims nothing.
  var flight: FlightSlot? { get }

  /// Finds the result in a cache, or makes it from something in a cache.
  func findInCaches() async throws -> Result?

  /// Tells the callers about a cached result before the server is asked about it.
  func announce(_ cached: Result)

  /// Makes the result from a transfer, and stores it.
  func make(from transfer: JoinedRun<Transferred>) async throws -> Result
}

/// The parts that every result has.
protocol ResultParts: Sendable {
  var source: ImageSource { get set }
  var record: CacheRecord { get set }
  var head: ResponseHead? { get set }
  /// The reason why a refresh failed, when the cached result was used instead.
  var revalidationError: ImageError? { get set }
  /// The stores that are still running.
  var stores: [Task<Void, Never>] { get set }
}

extension ResultRun {
  var flight: FlightSlot? { nil }

  func announce(_ cached: Result) {}

  /// Makes the result, and ends the claim that this run may hold.
  func run() async throws -> Result {
    guard let flight else { return try await make() }
    do {
      let result = try await make()
      // The claim is gone if the result is being stored.
      flight.take()?.end(.abandoned)
      return result
    } catch {
      flight.take()?.end(after: error, ofUsualSettings: request.usesOnlyManagerSettings)
      throw error
    }
  }

  func make() async throws -> Result {
    guard let cached = try await findInCaches() else { return try await makeNew() }
    return try await makeCurrent(cached)
  }

  /// Loads a result that no cache has.
  private func makeNew() async throws -> Result {
    do {
      try manager.refuseWhatMustNotLoad(request)
      let result = try await make(from: startTransfer())
      manager.failedURLs.remove(request.originalKey)
      return result
    } catch {
      try Task.checkCancellation()
      throw remember(error)
    }
  }

  /// Uses a cached result if it is current, and else replaces it.
  @inline(never)
  private func makeCurrent(_ cached: Result) async throws -> Result {
    if mayUse(cached) { return cached }
    announce(cached)
    do {
      let result = try await load(replacing: cached)
      manager.failedURLs.remove(request.originalKey)
      return result
    } catch {
      try Task.checkCancellation()
      let (failure, mayUseCached) = remember(error, having: cached.record)
      guard mayUseCached else { throw failure }
      var cached = cached
      cached.revalidationError = failure
      return cached
    }
  }

  /// Loads the original again and makes the result from it.
  ///
  /// The server is first asked if the original of the cached result is still current. If so, only the record is renewed.
  private func load(replacing cached: Result) async throws -> Result {
    try manager.refuseWhatMustNotLoad(request)
    let key = TransferKey(request, revalidating: cached.record)
    let transfer = startTransfer(key)
    if key.isRevalidation, case .notModified(let confirmation) = try await transfer.value {
      return await renew(cached, by: confirmation)
    }
    return try await make(from: transfer)
  }

  /// True when the cached result may be used without waiting for the server.
  ///
  /// If a stale result may be used in the meantime, this starts a refresh in the background.
  private func mayUse(_ cached: Result) -> Bool {
    let clock = manager.configuration.clock
    if request.mayUseWithoutAsking(cached.record, by: clock) { return true }
    guard request.mayServeWhileRevalidating(cached.record, by: clock) else { return false }
    refreshInBackground(cached)
    return true
  }

  /// Asks the server in the background about a cached result that is already being delivered.
  private func refreshInBackground(_ cached: Result) {
    let turn = manager.storeLanes.begin(request.originalKey)
    manager.loads.runInBackground { [manager, request] in
      let seat = Seat(priority: nil, stated: .low, wish: request.wish)
      let key = ResultKey(request, isBackgroundRefresh: true)
      _ = try? await Self.table(of: manager).value(for: key, seat: seat) { shared in
        try await Self(manager: manager, request: request, turn: turn, shared: shared).load(replacing: cached)
      }
    }
  }

  /// Stores a result; one from the loader is new, and is stored together with the body that it was made from.
  ///
  /// Other machines get it too, as far as it may leave this one.
  func store(_ result: Result, broughtAt turn: StoreTurn, isNew: Bool, body: LoadedBody?) async throws -> Result {
    var result = result
    switch request.cacheDecision(for: result.record) {
    case .keep: break
    case .ignore: return result
    case .forget:
      if isNew { result.stores += await forgetEverything(broughtAt: turn) }
      return result
    }
    guard result.mayBeStored, request.isCacheable else { return result }
    let job = storeJob(for: result, broughtAt: turn, isNew: isNew, body: body)
    await job.storeInMemory()
    try Task.checkCancellation()
    if let task = job.startStoringOnDisk() { result.stores.append(task) }
    if let task = job.startSharing(by: flight) { result.stores.append(task) }
    return result
  }

  func storeJob(for result: Result, broughtAt turn: StoreTurn, isNew: Bool, body: LoadedBody?) -> StoreJob {
    StoreJob(
      product: result.parts, turn: turn, load: self.turn, request: request, shared: shared, isNew: isNew, body: body,
      manager: manager)
  }

  /// Gives the cached result, and everything made from its original, the record that the server confirmed.
  private func renew(_ cached: Result, by confirmation: Transferred.Confirmation) async -> Result {
    var result = cached
    result.source = .revalidated
    result.head = confirmation.head
    let stores = await renew(&result.record, by: confirmation)
    result.stores += stores
    return result
  }
}
