import EaselCore
import EaselSupport
import EaselWorkers

/// Asks the coordinator of a manager: each call has a time limit, and there are no calls while it does not answer.
package final class FlightCalls: Sendable {
  /// The time that a coordinator may take for its answer, in addition to the time for which it may wait for others.
  private static let answerTime = Duration.milliseconds(100)
  private static let failuresToOpen = 5
  private static let openTime = Duration.seconds(5)

  private let coordinator: any FlightCoordinator
  private let longestWait: Duration
  private let clock: any ImageClock
  private let breaker = Locked(CircuitBreaker(failuresToOpen: failuresToOpen, openTime: openTime))

  /// Returns nil if there is no coordinator, so that loads need no calls.
  package init?(_ coordinator: (any FlightCoordinator)?, longestWait: Duration, by clock: any ImageClock) {
    guard let coordinator else { return nil }
    self.coordinator = coordinator
    self.longestWait = longestWait.bounded
    self.clock = clock
  }

  /// Claims work for a run whose callers wait until `deadline`.
  ///
  /// At most half of the time is spent waiting for others, so that there is time left for the work.
  package func claim(_ key: FlightKey, deadline: Duration?) async throws -> Claimed {
    let now = clock.uptime
    let limit = min(longestWait, deadline.map { ($0 - now) / 2 } ?? longestWait)
    guard limit > .zero, let ticket = breaker.withLock({ $0.enter(at: now) }) else { return .unasked }
    guard !ticket.isTrial else {
      // The coordinator has not answered before, so no load waits for this call; a claim that it grants is given up.
      Task(priority: .medium) { [self] in _ = try? await ask(key, within: .zero, ticket) }
      return .unasked
    }
    return try await ask(key, within: limit, ticket)
  }

  private func ask(
    _ key: FlightKey, within limit: Duration, _ ticket: CircuitBreaker.Ticket
  ) async throws -> Claimed {
    let answer: FlightKey.Answer
    do {
      answer = try await Timeout.wait(atMost: limit + Self.answerTime, by: clock) {
        ImageError(.timedOut, "The coordinator did not answer.", subject: key.key.readable)
      } unclaimed: { [clock] late in
        if case .yours(let claim) = late { HeldClaim(claim, clock: clock).end(.abandoned) }
      } for: { [coordinator] in
        await coordinator.claim(key, within: limit)
      }
    } catch {
      let isCancelled = Task.isCancelled
      leave(ticket, isCancelled ? .unknown : .failure(within: limit))
      if isCancelled { throw ImageError.cancelled(subject: key.key.readable) }
      return .unanswered
    }
    leave(ticket, .success(after: .zero))
    switch answer {
    case .yours(let claim): return .yours(HeldClaim(claim, clock: clock))
    case .ready(let entry): return .ready(entry)
    case .failed(let error) where error.isAboutPicture: return .failed(error)
    case .failed, .goAhead: return .goAhead
    }
  }

  private func leave(_ ticket: CircuitBreaker.Ticket, _ ending: CircuitBreaker.Ending) {
    let now = clock.uptime
    breaker.withLock { _ = $0.leave(ticket, ending, at: now) }
  }

  /// The answer to a claim, for a run.
  package enum Claimed: Sendable {
    case yours(HeldClaim)
    case ready(CacheEntry)
    case failed(ImageError)
    case goAhead
    /// The coordinator did not answer in time.
    case unanswered
    /// The coordinator was not asked, because it does not answer or because there is no time left.
    case unasked

    /// The result for observers; nil if the coordinator was not asked.
    package var result: ImageEvent.ClaimResult? {
      switch self {
      case .yours: .won
      case .ready: .handedOver
      case .failed: .failed
      case .goAhead: .goAhead
      case .unanswered: .unanswered
      case .unasked: nil
      }
    }
  }
}

/// A claim that a run holds.
///
/// It ends exactly once, at the latest when this object is released.
package final class HeldClaim: Sendable {
  /// The time limit for a coordinator to end a claim, while nobody waits.
  private static let endTime = Duration.seconds(5)

  private let claim: Locked<(any FlightClaim)?>
  private let clock: any ImageClock

  init(_ claim: any FlightClaim, clock: any ImageClock) {
    self.claim = Locked(claim)
    self.clock = clock
  }

  deinit { end(.abandoned) }

  /// Ends the claim without waiting for the coordinator.
  package func end(_ outcome: FlightKey.Result) {
    guard let claim = claim.withLock({ $0.take() }) else { return }
    // The task of the run may already be cancelled, but the claim must end in any case.
    Task(priority: .medium) { [clock] in await Self.end(claim, outcome, clock) }
  }

  /// Ends the claim after a failure; others learn of a failure of the picture, but not of one due to a setting.
  package func end(after error: any Error, ofUsualSettings: Bool) {
    if let failure = error as? ImageError, failure.isAboutPicture, ofUsualSettings {
      end(.failed(failure))
    } else {
      end(.abandoned)
    }
  }

  private static func end(_ claim: any FlightClaim, _ outcome: FlightKey.Result, _ clock: any ImageClock) async {
    try? await Timeout.wait(atMost: endTime, by: clock, failure: { .cancelled() }) { await claim.end(outcome) }
  }
}

/// The place of a run's claim, from which the store takes it.
package final class FlightSlot: Sendable {
  private let held = Locked<HeldClaim?>(nil)

  package init() {}

  package func put(_ claim: HeldClaim) { held.withLock { $0 = claim } }

  package func take() -> HeldClaim? { held.withLock { $0.take() } }
}
