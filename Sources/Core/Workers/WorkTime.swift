import Synchronization

/// The time that a piece of work may take, counted only while a thread is at it.
package final class WorkTime: Sendable {
  private struct State {
    var left: Duration
    var begun = Duration.zero
    // Once the caller is answered, the next thread may begin before the last one has said that it is done.
    var threads = 0
    var coder: String?
  }

  /// The whole of it.
  package let budget: Duration

  private let clock: any ImageClock
  private let state: Locked<State>
  /// When the time is over, the highest number while nobody is at work; apart from the lock, for it is asked often.
  private let end = Atomic(Int64.max)

  /// Creates a time that nobody has begun to use.
  package init(_ budget: Duration, clock: any ImageClock) {
    self.budget = budget.bounded
    self.clock = clock
    state = Locked(State(left: budget.bounded))
  }

  /// Counts from now on; returns what is left.
  @discardableResult
  package func begin() -> Duration {
    let now = clock.uptime
    return state.withLock { state in
      state.threads += 1
      if state.threads == 1 {
        state.begun = now
        end.store(Self.ticks(now + state.left), ordering: .releasing)
      }
      return state.left - (now - state.begun)
    }
  }

  /// Counts no more.
  package func pause() {
    let now = clock.uptime
    state.withLock { state in
      state.threads -= 1
      guard state.threads == 0 else { return }
      state.left -= now - state.begun
      end.store(.max, ordering: .releasing)
    }
  }

  /// The coder that a registry gave the work to, for the sentences of errors.
  var coder: String? { state.withLock { $0.coder } }

  /// Notes which coder is at work.
  func note(coder: String) { state.withLock { $0.coder = coder } }

  /// Whether work goes on though nothing is left.
  var isOver: Bool { Self.ticks(clock.uptime) > end.load(ordering: .acquiring) }

  /// Quarters of a nanosecond, roughly: a shift costs less than a division, and the number holds for eighty years.
  private static func ticks(_ time: Duration) -> Int64 { Int64(clamping: time.attoseconds >> 28) }
}
