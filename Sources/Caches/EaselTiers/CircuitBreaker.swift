import EaselCore

/// Decides if an engine that failed is asked again.
///
/// After some errors without a success in between, nobody asks for a while. Then one call tries, for which nobody may
/// wait, and its end decides. Calls that began before the breaker changed its mind have no say.
///
/// A success counts only if it came within the time that each failed call had: an engine that needs 300 milliseconds is
/// down for calls that have 100, although others succeed.
package struct CircuitBreaker: Sendable {
  /// The permission of one call.
  package struct Ticket: Sendable {
    /// True for the call that tries if the engine is back.
    package let isTrial: Bool
    fileprivate let epoch: UInt64
  }

  /// The end of a call.
  package enum Ending: Sendable {
    case success(after: Duration)
    case failure(within: Duration)
    /// The caller gave up, which says nothing about the engine.
    case unknown
  }

  /// A change that others may want to know about.
  package enum Change: Sendable {
    case opened
    case closed
  }

  private enum Phase {
    /// `limit` is the shortest time that a failed call had.
    case closed(failures: Int, limit: Duration)
    case open(until: Duration)
    /// One call tries.
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

  /// True when calls are let through.
  package var isClosed: Bool { if case .closed = stage { true } else { false } }

  /// Returns nil if the engine must not be asked now.
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

  /// Notes the end of a call.
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
      // The next caller tries.
      move(to: .open(until: now))
      return nil
    }
  }

  private mutating func move(to stage: Phase) {
    self.stage = stage
    epoch += 1
  }
}
