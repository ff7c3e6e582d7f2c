import EaselCore

/// Decides whether an engine that has failed is asked again.
///
/// After some errors without a success in between, the engine is not asked for a while. Then a single call tries it,
/// for which nobody should wait, and the outcome of this call decides. The outcome of a call that began before the last
/// change is ignored.
///
/// A success counts only if it came within the shortest time limit of the failed calls. An engine that needs 300
/// milliseconds is down for calls that may take 100, even if other calls succeed.
package struct CircuitBreaker: Sendable {
  /// The permission for one call.
  package struct Ticket: Sendable {
    /// True for the call that tries whether the engine works again.
    package let isTrial: Bool
    fileprivate let epoch: UInt64
  }

  /// The outcome of a call.
  package enum Ending: Sendable {
    case success(after: Duration)
    case failure(within: Duration)
    /// The caller gave up, which says nothing about the engine.
    case unknown
  }

  /// A change of the breaker.
  package enum Change: Sendable {
    case opened
    case closed
  }

  private enum Phase {
    /// `limit` is the shortest time limit of the failed calls.
    case closed(failures: Int, limit: Duration)
    case open(until: Duration)
    /// One call tries the engine.
    case trying

    static let fresh = Phase.closed(failures: 0, limit: .longest)
  }

  package let failuresToOpen: Int
  package let openTime: Duration
  private var stage = Phase.fresh
  private var epoch: UInt64 = 0

  package init(failuresToOpen: Int, openTime: Duration) {
    self.failuresToOpen = max(1, failuresToOpen)
    self.openTime = openTime.bounded
  }

  /// True when calls may reach the engine.
  package var isClosed: Bool { if case .closed = stage { true } else { false } }

  /// Asks for permission; returns nil if the engine must not be asked now.
  package mutating func enter(at now: Duration) -> Ticket? {
    switch stage {
    case .closed: return Ticket(isTrial: false, epoch: epoch)
    case .trying: return nil
    case .open(let end):
      guard now >= end else { return nil }
      move(to: .trying)
      return Ticket(isTrial: true, epoch: epoch)
    }
  }

  /// Notes the outcome of a call.
  package mutating func leave(_ ticket: Ticket, _ ending: Ending, at now: Duration) -> Change? {
    guard ticket.epoch == epoch else { return nil }
    switch (stage, ending) {
    case (.open, _), (.closed, .unknown): return nil
    case (.closed(_, let limit), .success(let time)):
      if time <= limit { stage = .fresh }
      return nil
    case (.closed(let failures, let shortest), .failure(let limit)):
      guard failures + 1 >= failuresToOpen else {
        stage = .closed(failures: failures + 1, limit: min(shortest, limit))
        return nil
      }
      move(to: .open(until: now + openTime))
      return .opened
    case (.trying, .success):
      move(to: .fresh)
      return .closed
    case (.trying, .failure):
      move(to: .open(until: now + openTime))
      return nil
    case (.trying, .unknown):
      // The next caller tries the engine.
      move(to: .open(until: now))
      return nil
    }
  }

  private mutating func move(to stage: Phase) {
    self.stage = stage
    epoch += 1
  }
}
