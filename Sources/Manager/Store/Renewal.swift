import EaselCore
import EaselHTTP
import EaselTiers

/// Updates everything that was made from an original after its server sent news about it.
struct Renewal: Sendable {
  let run: Run
  /// The time at which the load began.
  ///
  /// If the original is removed later, nothing is updated.
  let load: StoreTicket

  /// Gives the cached result, and everything made from the same original, the record that the server confirmed.
  @inline(never)
  func renewed(_ cached: Product, by confirmation: TransferResult.Confirmation) async -> Product {
    var parts = cached.parts
    parts.source = .revalidated
    parts.head = confirmation.head
    parts.stores += await renew(&parts.record, by: confirmation)
    return Product(parts)
  }

  /// Removes everything made from an original that must not be stored any more.
  func forgetEverything(broughtAt turn: StoreTicket) async -> [Task<Void, Never>] {
    await renewEverything(nil, generation: ContentGeneration.ofNothing, broughtAt: turn)
  }

  private func renew(
    _ record: inout CacheRecord, by confirmation: TransferResult.Confirmation
  ) async -> [Task<Void, Never>] {
    guard let response = record.response else { return [] }
    record.response = HTTPCacheRules(response).renewed(
      by: confirmation.head, answering: run.request.neutralHeaders, requested: confirmation.requested,
      received: confirmation.received)
    record.response?.isUnwanted = confirmation.isUnwanted && run.request.cachePolicy == .http
    defer { record.response?.isUnwanted = false }
    return switch run.request.cacheUse.decision(for: record) {
    case .keep:
      await renewEverything(record.response, generation: record.generation, broughtAt: confirmation.turn)
    case .ignore: []
    case .forget: await forgetEverything(broughtAt: confirmation.turn)
    }
  }

  /// Gives a new record to all entries made from these bytes of the original, and removes entries made from other
  /// bytes.
  ///
  /// `broughtAt` is the turn of the transfer that brought the response. When this returns, memory is up to date; the
  /// returned tasks update the other layers. If entries must not be shared any more, the shared store removes them.
  private func renewEverything(
    _ response: CacheRecord.Response?, generation: UInt64, broughtAt turn: StoreTicket
  ) async -> [Task<Void, Never>] {
    func renew(in layer: CacheLayers) -> Task<Void, Never> {
      let staysThere = layer != .shared || response?.mayBeShared ?? true
      return run.manager.storeQueues.add(turn, of: load, generation: generation, brings: true, in: layer) { [run] in
        if staysThere {
          await Self.entries(response, generation: generation, in: layer, for: run)
        } else {
          await Self.entries(nil, generation: ContentGeneration.ofNothing, in: layer, for: run)
        }
      }
    }
    await renew(in: .memory).value
    guard run.request.layers.reach.contains(.shared) else { return [renew(in: .disk)] }
    return [renew(in: .disk), renew(in: .shared)]
  }

  /// Renews the entries of one layer directly; call it only from work in the store queue of the original.
  static func entries(
    _ response: CacheRecord.Response?, generation: UInt64, in layer: CacheLayers, for run: Run
  ) async {
    let request = run.request
    guard request.isCacheable else { return }
    for cache in request.caches {
      do {
        try await run.calls(cache).renew(
          response, ofOriginal: request.originalKey, generation: generation, in: layer)
      } catch {
        run.report(error, of: request.originalKey)
      }
    }
  }
}
