import EaselCore
import EaselTiers

/// Gets the bytes behind a request, decrypted but not decoded: from a cache that keeps the original, or from the
/// loader.
struct BytesRun: StoringRun {
  let manager: ImageManager
  let request: ResolvedRequest
  /// The time at which the load began.
  ///
  /// If the original is removed later, the load stores nothing.
  let turn: StoreTurn
  let shared: SharedRun

  func make() async throws -> OriginalBytes {
    let stored = try await findInCaches()
    if let stored, mayUseWithoutAsking(stored) { return stored }
    let key = TransferKey(request, revalidating: stored?.record)
    let transferred: Transferred
    do {
      try manager.refuseWhatMustNotLoad(request)
      transferred = try await startTransfer(key).value
    } catch {
      try Task.checkCancellation()
      let (failure, mayUseCached) = remember(error, having: stored?.record)
      guard let stored, mayUseCached else { throw failure }
      return stored
    }
    switch transferred {
    case .image:
      throw ImageError(
        .badImageData, "The loader delivered a decoded picture, which has no bytes.", subject: request.subject)
    case .notModified(let confirmation):
      guard key.isRevalidation, let stored else {
        throw ImageError(
          .notModified, "The server said that the picture has not changed, but no cache has its bytes.",
          subject: request.subject,
          response: confirmation.head)
      }
      manager.failedURLs.remove(request.originalKey)
      var record = stored.record
      _ = await renew(&record, by: confirmation)
      return OriginalBytes(bytes: stored.bytes, record: record, source: .revalidated)
    case .body(let body):
      // The body is not decoded here. It must release its room now, because its store may wait for a load that waits
      // for room.
      body.releaseRoom()
      manager.failedURLs.remove(request.originalKey)
      await storeOriginal(body)
      return OriginalBytes(
        bytes: body.bytes, record: body.record, source: ImageSource(transferred, for: request))
    }
  }

  private func mayUseWithoutAsking(_ stored: OriginalBytes) -> Bool {
    request.mayUseWithoutAsking(stored.record, by: manager.configuration.clock)
  }

  /// The cached bytes that may be used without asking the server, or the cached bytes to ask the server about.
  private func findInCaches() async throws -> OriginalBytes? {
    var layers = request.layers.queryOfBytes
    var stale: OriginalBytes?
    while let found = try await lookUp(
      request.originalKey, in: request.originalCache, request.originalCacheInstance, layers: layers)
    {
      layers.subtract(found.layer)
      guard let hit = try await trusted(found, for: request.originalKey, in: request.originalCache) else { continue }
      if let bytes = hit.entry.bytes {
        if hit.layer == .shared {
          _ = fillDisk(hit.entry, for: request.originalKey, in: request.originalCache, request.layers.storeOfBytes)
        }
        let stored = OriginalBytes(bytes: bytes, record: hit.entry.record, source: ImageSource(hit.layer))
        if mayUseWithoutAsking(stored) { return stored }
        stale = stored
      }
    }
    return stale
  }

  private func storeOriginal(_ body: LoadedBody) async {
    let record = body.record
    switch request.cacheDecision(for: record) {
    case .keep: break
    case .ignore: return
    case .forget:
      _ = await forgetEverything(broughtAt: body.turn)
      return
    }
    _ = await renewEverything(record.response, generation: record.generation, broughtAt: body.turn)
    if request.layers.storeOfBytes.contains(.disk) { storeOriginal(body, in: .disk) }
    if request.layers.storeOfBytes.contains(.shared), record.mayBeShared { storeOriginal(body, in: .shared) }
  }

  private func storeOriginal(_ body: LoadedBody, in layer: CacheLayers) {
    let record = body.record
    _ = manager.storeLanes.add(body.turn, of: turn, generation: record.generation, brings: true, in: layer) {
      guard body.claimStore(in: layer, of: request.originalCacheInstance) else { return }
      do {
        let entry = CacheEntry(bytes: body.bytes, record: record)
        try await manager.store(
          entry, for: request.originalKey, in: request.originalCache, layer, within: ImageManager.storeTime)
      } catch {
        report(error, of: request.originalKey)
      }
    }
  }
}
