import EaselCore
import EaselHTTP
import EaselTiers

/// The steps from a request to its result: caches, original, transfer, pixels or bytes, stores.
///
/// All callers that want the same result share these steps. `Loading` asks memory before them, and delivers after them.
struct Way: Sendable {
  let maker: ResultMaker

  private var run: Run { maker.run }

  /// Creates the steps for a load that began at this turn.
  init(_ run: Run, to goal: Goal, _ turn: StoreTicket) { maker = ResultMaker(run, goal, turn) }

  /// Makes the result, and ends the claim that the run may hold.
  func result() async throws -> Product {
    guard let flight = maker.flight else { return try await make() }
    do {
      let result = try await make()
      // If the result is being stored, the store has taken the claim.
      flight.take()?.end(.abandoned)
      return result
    } catch {
      flight.take()?.end(after: error, ofUsualSettings: run.request.usesOnlyManagerSettings)
      throw error
    }
  }

  private func make() async throws -> Product {
    guard let cached = try await CachedResult(maker: maker).find() else { return try await makeNew() }
    return try await makeCurrent(cached)
  }

  /// Loads a result that no cache has.
  private func makeNew() async throws -> Product {
    do {
      try run.rules.refuse()
      let result = try await maker.make(from: Transfer.join(for: run))
      run.manager.failedURLs.remove(run.request.originalKey)
      return result
    } catch {
      try Task.checkCancellation()
      throw run.rules.remember(error)
    }
  }

  /// Uses a cached result if it is current; otherwise replaces it.
  @inline(never)
  private func makeCurrent(_ cached: Product) async throws -> Product {
    if mayUse(cached) { return cached }
    if run.request.options.contains(.refreshCached), case .picture(let image, _) = cached.content {
      run.shared.emit(.cached(image))
    }
    do {
      let result = try await load(replacing: cached)
      run.manager.failedURLs.remove(run.request.originalKey)
      return result
    } catch {
      try Task.checkCancellation()
      let failure = run.rules.remember(error)
      guard run.request.cacheUse.mayUse(cached.record, despite: failure, by: run.clock) else { throw failure }
      var cached = cached
      cached.revalidationError = failure
      return cached
    }
  }

  /// Loads the original again and makes the result from it.
  ///
  /// The server is first asked whether the original of the cached result is still current. If so, only the record is
  /// renewed.
  private func load(replacing cached: Product) async throws -> Product {
    try run.rules.refuse()
    let key = TransferKey(run.request, revalidating: cached.record)
    let transfer = Transfer.join(key, for: run)
    if key.isRevalidation, case .notModified(let confirmation) = try await transfer.value {
      return await Renewal(run: run, load: maker.turn).renewed(cached, by: confirmation)
    }
    return try await maker.make(from: transfer)
  }

  /// True when the cached result may be used without waiting for the server.
  ///
  /// If a stale result may be used in the meantime, this starts a refresh in the background.
  private func mayUse(_ cached: Product) -> Bool {
    if run.request.cacheUse.mayUseWithoutAsking(cached.record, by: run.clock) { return true }
    guard maker.goal != .original, run.request.cacheUse.mayServeWhileRevalidating(cached.record, by: run.clock) else {
      return false
    }
    refreshInBackground(cached)
    return true
  }

  /// Asks the server in the background about a cached result that is already being delivered.
  private func refreshInBackground(_ cached: Product) {
    let turn = run.manager.storeQueues.begin(run.request.originalKey)
    run.manager.background.run { [manager = run.manager, request = run.request, goal = maker.goal] in
      let place = RunPlace(priority: nil, stated: .low, wish: request.wish)
      let key = ResultKey(request, isBackgroundRefresh: true)
      _ = try? await manager.resultRuns.value(for: key, place: place) { shared in
        try await Way(Run(manager: manager, request: request, shared: shared), to: goal, turn).load(replacing: cached)
      }
    }
  }
}
