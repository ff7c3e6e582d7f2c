import EaselCore
import EaselHTTP
import EaselTiers

/// Transfers an original once for several processes.
struct FleetTransfer: Sendable {
  let run: Run
  /// The time at which the transfer began.
  let turn: StoreTicket

  private var request: ResolvedRequest { run.request }

  /// Gets the original from another process that transfers it, or transfers it for the other processes.
  @inline(never)
  func transferred(by transfer: () async throws -> TransferResult) async throws -> TransferResult {
    switch try await Fleet(run: run).claim(.transfer, request.originalKey) {
    case .goAhead, .unanswered, .unasked: break
    case .failed(let error): throw error
    case .ready(let entry): if let body = try await body(from: entry) { return .body(body) }
    case .yours(let claim):
      do {
        let transferred = try await transfer()
        publish(transferred, under: claim)
        return transferred
      } catch {
        claim.end(after: error, ofUsualSettings: request.usesOnlyManagerSettings)
        throw error
      }
    }
    return try await transfer()
  }

  /// The body that another process has just stored; nil if it must not be used here.
  private func body(from entry: CacheEntry) async throws -> LoadedBody? {
    guard let bytes = entry.bytes, run.accepts(entry, of: request.originalKey, from: .shared),
      request.cacheUse.matches(entry.record), request.cacheUse.isFresh(entry.record, by: run.clock),
      try await Fleet(run: run).isTrue(entry, for: request.originalKey)
    else { return nil }
    if let limit = run.shared.limit(exceededBy: bytes.count) {
      throw ImageError.overByteLimit(limit, subject: request.subject)
    }
    run.report(.cacheHit(.shared))
    let head = entry.record.response?.head(at: run.clock.date) ?? ResponseHead(url: request.url)
    let body = LoadedBody(
      bytes: bytes, head: head, metrics: nil, record: entry.record, turn: turn, reservation: nil, isFromFleet: true)
    // The shared store has the body already, so nothing more is stored there.
    _ = body.claimStore(in: .shared, of: request.originalCacheInstance)
    return body
  }

  /// Stores a body where the other processes find it, and tells them so, without waiting.
  private func publish(_ transferred: TransferResult, under claim: HeldClaim) {
    guard case .body(let body) = transferred, body.record.mimeType != nil, body.record.mayBeShared,
      request.cacheUse.decision(for: body.record) == .keep,
      body.claimStore(in: .shared, of: request.originalCacheInstance)
    else { return claim.end(.abandoned) }
    body.notePublished()
    let (key, record) = (request.originalKey, body.record)
    _ = run.manager.storeQueues.add(turn, of: turn, generation: record.generation, brings: true, in: .shared) { [run] in
      await Renewal.entries(record.response, generation: record.generation, in: .shared, for: run)
      do {
        let entry = CacheEntry(bytes: body.bytes, record: record)
        try await run.calls(run.request.originalCache).store(entry, for: key, in: .shared)
        run.report(.stored(key, .shared))
        claim.end(.stored)
      } catch {
        run.report(error, of: key)
        claim.end(.abandoned)
      }
    }
  }
}
