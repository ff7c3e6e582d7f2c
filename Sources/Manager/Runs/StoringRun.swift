import EaselCore
import EaselHTTP
import EaselTiers

/// A run that changes what the caches hold.
protocol StoringRun: ManagerRun {
  /// The time at which the load began. If the original is removed later, the load stores nothing.
  var turn: StoreTurn { get }
}

extension StoringRun {
  /// Remembers that a load failed that has no cached entry to fall back on.
  @inline(never)
  func remember(_ error: any Error) -> ImageError { remember(error, having: nil).failure }

  /// Remembers that a load failed, and tells if the cached entry with this record may be used nevertheless.
  // Never inlined: the stack space that only a failure needs would be added to the frame of everyone who waits.
  @inline(never)
  func remember(_ error: any Error, having record: CacheRecord?) -> (failure: ImageError, mayUseCached: Bool) {
    let failure = ImageError.wrapping(error, as: .network, "The load failed.", subject: request.subject)
    manager.remember(failure, request)
    let mayUseCached = record.map { request.mayUse($0, despite: failure, by: manager.configuration.clock) }
    return (failure, mayUseCached ?? false)
  }

  /// Gives all entries that were made from these bytes of the original a new record, and removes entries made from
  /// other bytes.
  ///
  /// `broughtAt` is the turn of the transfer that brought the response. When this returns, memory is up to date; the
  /// returned tasks update the other layers. A shared store forgets what may not be shared any more.
  func renewEverything(
    _ response: ResponseRecord?, generation: UInt64, broughtAt turn: StoreTurn
  ) async -> [Task<Void, Never>] {
    let mayBeShared = response?.mayBeShared ?? true
    func renew(in layer: CacheLayers) -> Task<Void, Never> {
      manager.storeLanes.add(turn, of: self.turn, generation: generation, brings: true, in: layer) {
        if layer == .shared, !mayBeShared {
          await renewEntries(nil, generation: ContentGeneration.ofNothing, in: layer)
        } else {
          await renewEntries(response, generation: generation, in: layer)
        }
      }
    }
    await renew(in: .memory).value
    guard request.layers.reach.contains(.shared) else { return [renew(in: .disk)] }
    return [renew(in: .disk), renew(in: .shared)]
  }

  /// Removes everything made from an original that may not be stored any more.
  func forgetEverything(broughtAt turn: StoreTurn) async -> [Task<Void, Never>] {
    await renewEverything(nil, generation: ContentGeneration.ofNothing, broughtAt: turn)
  }

  /// Renews a record, and the records of everything made from its original, after the server confirmed it.
  func renew(
    _ record: inout CacheRecord, by confirmation: Transferred.Confirmation
  ) async -> [Task<Void, Never>] {
    guard let response = record.response else { return [] }
    record.response = HTTPCacheRules(response).renewed(
      by: confirmation.head, answering: request.neutralHeaders, requested: confirmation.requested,
      received: confirmation.received)
    record.response?.isUnwanted = confirmation.isUnwanted && request.cachePolicy == .http
    defer { record.response?.isUnwanted = false }
    return switch request.cacheDecision(for: record) {
    case .keep:
      await renewEverything(record.response, generation: record.generation, broughtAt: confirmation.turn)
    case .ignore: []
    case .forget: await forgetEverything(broughtAt: confirmation.turn)
    }
  }
}

extension ManagerRun {
  /// Renews the entries of one layer directly; call it only from work in the store lane of the original.
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
