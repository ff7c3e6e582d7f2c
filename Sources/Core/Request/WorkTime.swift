import EaselSupport
import Synchronization

/// The time limit of a piece of work.
///
/// The time counts only while a thread works on the piece.
package final class WorkTime: Sendable {
  private struct State {
    var left: Duration
    var begun = Duration.zero
    // Two threads can overlap: a caller gets its answer before the thread calls `pause`, and may then begin its next
    // work.
    var threads = 0
    /// The total time that ``giveBack(_:)`` has added.
    var gift = Duration.zero
    var coder: String?
  }

  /// The time limit at the beginning.
  package let budget: Duration

  private let clock: any ImageClock
  private let state: Locked<State>
  /// The time at which the budget ends; the maximum while no thread works.
  ///
  /// It is outside the lock, because it is read often.
  private let end = Atomic(Int64.max)

  /// Creates a time limit with all its time left.
  package init(_ budget: Duration, clock: any ImageClock) {
    self.budget = budget.bounded
    self.clock = clock
    state = Locked(State(left: budget.bounded))
  }

  /// Starts to count; returns the remaining time.
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

  /// Stops counting.
  package func pause() {
    let now = clock.uptime
    state.withLock { state in
      state.threads -= 1
      guard state.threads == 0 else { return }
      state.left -= now - state.begun
      end.store(.max, ordering: .releasing)
    }
  }

  /// Adds time in which the work waited for a processor; in total at most nine times the budget.
  package func giveBack(_ time: Duration) {
    guard time > .zero else { return }
    state.withLock { state in
      let gift = min(time, budget * 9 - state.gift)
      state.gift += gift
      state.left += gift
      if state.threads > 0 { end.store(Self.ticks(state.begun + state.left), ordering: .releasing) }
    }
  }

  /// The remaining time; negative when the limit is exceeded.
  package var left: Duration {
    let now = clock.uptime
    return state.withLock { $0.threads > 0 ? $0.left - (now - $0.begun) : $0.left }
  }

  /// The coder that a registry chose for the work, for error messages.
  package var coder: String? { state.withLock { $0.coder } }

  /// Notes the coder that does the work.
  package func note(coder: String) { state.withLock { $0.coder = coder } }

  /// True when a thread still works although no time is left.
  package var isOver: Bool { Self.ticks(clock.uptime) > end.load(ordering: .acquiring) }

  /// Converts a time to units of 2^28 attoseconds, about a quarter of a nanosecond; `Int64` holds eighty years of them.
  ///
  /// A power of two needs only a shift, which is cheaper than a division.
  private static func ticks(_ time: Duration) -> Int64 { Int64(clamping: time.attoseconds >> 28) }
}
