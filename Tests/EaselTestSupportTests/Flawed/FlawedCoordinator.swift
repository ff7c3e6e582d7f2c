import EaselCore
import EaselTestSupport

/// A coordinator that breaks one rule.
final class FlawedCoordinator: FlightCoordinator {
  private let flaw: FlightCoordinatorContract.Rule
  private let base: any FlightCoordinator

  init(_ flaw: FlightCoordinatorContract.Rule, over base: any FlightCoordinator) {
    self.flaw = flaw
    self.base = base
  }

  func claim(_ key: FlightKey, within limit: Duration) async -> FlightKey.Answer {
    switch flaw {
    case .ends, .waitingIsBounded:
      let answer = await base.claim(key, within: limit)
      guard case .goAhead = answer, !Task.isCancelled else { return answer }
      await Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }.value
      return answer
    case .oneHolds: return .yours(NoClaim())
    case .keysAreApart: return await base.claim(FlightKey(.variant, key.key), within: limit)
    case .cancellationLeaves:
      return await Task.detached { [base] in await base.claim(key, within: limit) }.value
    default: break
    }
    switch (await base.claim(key, within: limit), flaw) {
    case (.ready(let entry), .storedIsReady): return .ready(CacheEntry(record: entry.record))
    case (.failed, .failureIsHeard): return .goAhead
    case (.yours(let claim), _): return .yours(FlawedClaim(flaw: flaw, base: claim))
    case (let answer, _): return answer
    }
  }

  private struct NoClaim: FlightClaim {
    func end(_ outcome: FlightKey.Result) async {}
  }

  private struct FlawedClaim: FlightClaim {
    let flaw: FlightCoordinatorContract.Rule
    let base: any FlightClaim

    func end(_ outcome: FlightKey.Result) async {
      if flaw == .abandonedIsPassedOn, case .abandoned = outcome {
        await base.end(.failed(ImageError(.badImageData, "It was abandoned.")))
      } else {
        await base.end(outcome)
      }
    }
  }
}
