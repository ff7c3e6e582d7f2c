import EaselCore
import EaselHTTP

/// Looks up entries in caches, together with everyone who asks the same.
struct Lookup: Sendable {
  let run: Run

  /// Finds an entry that is the right one and may be used; a cache that fails counts as a miss.
  @inline(never)
  func find(_ question: Question) async throws -> CacheHit? {
    guard let hit = try await hit(question), try await Fleet(run: run).trusts(hit, question) else { return nil }
    return hit
  }

  private func hit(_ question: Question) async throws -> CacheHit? {
    var question = question
    if !run.shared.mayAskSharedStore { question.layers.subtract(.shared) }
    do {
      while !question.layers.isEmpty {
        let hit = try await query(question)
        try Task.checkCancellation()
        guard let hit else { return nil }
        guard run.accepts(hit.entry, of: question.key, from: hit.layer) else {
          // The layers behind it may have the right one.
          guard question.layers.contains(hit.layer) else { return nil }
          question.layers.subtract(hit.layer.isEmpty ? question.layers : hit.layer)
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

  private func query(_ question: Question) async throws -> CacheHit? {
    let calls = run.calls(question.cache)
    guard question.isShared else { return try await calls.query(question.key, in: question.layers) }
    let key = LookupKey(key: question.key, layers: question.layers, cache: question.instance)
    return try await run.manager.lookupRuns.value(for: key, seat: Seat(for: run.shared)) { _ in
      try await calls.query(question.key, in: question.layers)
    }
  }
}
