import EaselCore
import EaselTiers

/// Transferring an original once for several processes.
extension TransferRun {
  /// The body that another process has just stored; nil if it must not be used here.
  func body(from entry: CacheEntry) async throws -> LoadedBody? {
    guard let bytes = entry.bytes, belongs(entry, to: request.originalKey, in: .shared), request.matches(entry.record),
      request.isFresh(entry.record, by: manager.configuration.clock),
      try await isTrue(entry, for: request.originalKey)
    else { return nil }
    if let limit = shared.limit(exceededBy: bytes.count) {
      throw BodySink.tooLarge(limit: limit, subject: request.subject)
    }
    report(.cacheHit(.shared))
    let head = entry.record.response?.head(at: manager.configuration.clock.date) ?? ResponseHead(url: request.url)
    let body = LoadedBody(
      bytes: bytes, head: head, metrics: nil, record: entry.record, turn: turn, reservation: nil, isFromFleet: true)
    // The body is there already.
    _ = body.claimStore(in: .shared, of: request.originalCacheInstance)
    return body
  }

  /// Stores a body where the others find it, and tells them so, without waiting.
  func publish(_ transferred: Transferred, under claim: HeldClaim) {
    guard case .body(let body) = transferred, body.record.mimeType != nil, body.record.mayBeShared,
      request.cacheDecision(for: body.record) == .keep,
      body.claimStore(in: .shared, of: request.originalCacheInstance)
    else { return claim.end(.abandoned) }
    body.notePublished()
    let (key, record) = (request.originalKey, body.record)
    _ = manager.storeLanes.add(turn, of: turn, generation: record.generation, brings: true, in: .shared) {
      [manager, request, essence] in
      await essence.renewEntries(record.response, generation: record.generation, in: .shared)
      do {
        let entry = CacheEntry(bytes: body.bytes, record: record)
        try await manager.store(entry, for: key, in: request.originalCache, .shared, within: ImageManager.storeTime)
        essence.report(.stored(key, .shared))
        claim.end(.stored)
      } catch {
        essence.report(error, of: key)
        claim.end(.abandoned)
      }
    }
  }
}
