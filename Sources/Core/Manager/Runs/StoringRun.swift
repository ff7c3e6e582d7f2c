/// A run that changes what the caches hold.
protocol StoringRun: ManagerRun {
  /// The time from which the load counts: a removal after it keeps the load from storing anything.
  var turn: StoreTurn { get }
}

extension StoringRun {
  /// Gives everything that was made of these bytes of the original a new record, and forgets what was made of others.
  ///
  /// `broughtAt` is the turn of the transfer that brought the news. When this returns, memory is up to date; the returned
  /// tasks do the same on disk.
  func renewEverything(
    _ response: ResponseRecord?, generation: UInt64, broughtAt turn: StoreTurn
  ) async -> [Task<Void, Never>] {
    func renew(in layer: CacheLayers) -> Task<Void, Never> {
      manager.storeLanes.add(turn, of: self.turn, generation: generation, brings: true, isDisk: layer == .disk) {
        await renewEntries(response, generation: generation, in: layer)
      }
    }
    await renew(in: .memory).value
    return [renew(in: .disk)]
  }

  /// Forgets everything that was made of an original of which nothing may be kept any more.
  func forgetEverything(broughtAt turn: StoreTurn) async -> [Task<Void, Never>] {
    await renewEverything(nil, generation: ContentGeneration.ofNothing, broughtAt: turn)
  }

  /// Changes a record, and everything that was made of its original, by what the server confirmed.
  func renew(
    _ record: inout CacheRecord, by confirmation: Transferred.Confirmation
  ) async -> [Task<Void, Never>] {
    guard let response = record.response else { return [] }
    record.response = HTTPCacheRules(response).renewed(
      by: confirmation.head, answering: request.neutralHeaders, requested: confirmation.requested,
      received: confirmation.received)
    return switch request.cacheDecision(for: record) {
    case .keep:
      await renewEverything(record.response, generation: record.generation, broughtAt: confirmation.turn)
    case .ignore: []
    case .forget: await forgetEverything(broughtAt: confirmation.turn)
    }
  }
}

extension ManagerRun {
  /// Renews the entries of one layer at once; only the work that has the lane of the original may call it.
  func renewEntries(_ response: ResponseRecord?, generation: UInt64, in layer: CacheLayers) async {
    guard request.isCacheable else { return }
    for cache in request.caches {
      do {
        try await manager.call(cache, about: request.originalKey, within: ImageManager.time(toStoreIn: layer)) {
          try await cache.renew(response, ofOriginal: request.originalKey, generation: generation, in: layer)
        }
      } catch {
        report(error, of: request.originalKey)
      }
    }
  }
}
