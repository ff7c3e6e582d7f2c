import EaselCore
import Synchronization

/// Counts the calls of one plug-in that are overdue and have not yet returned.
///
/// With this count, a plug-in that hangs is not called again and again, which would cost a thread each time.
package final class OverdueCalls: Sendable {
  private let hanging = Atomic(0)

  package init() {}

  /// The number of calls that hang now.
  package var count: Int { hanging.load(ordering: .relaxed) }

  /// One call of the plug-in.
  package final class Call: Sendable {
    private enum Stage { static let running = 0, late = 1, returned = 2 }

    private let calls: OverdueCalls
    private let stage = Atomic(Stage.running)

    package init(of calls: OverdueCalls) { self.calls = calls }

    /// Marks the call as overdue, because its caller no longer waits.
    @Sendable package func noteLate() {
      let (isRunning, _) = stage.compareExchange(
        expected: Stage.running, desired: Stage.late, ordering: .relaxed)
      if isRunning { calls.hanging.add(1, ordering: .relaxed) }
    }

    /// Marks the call as returned; returns true when it was overdue.
    package func hasReturned() -> Bool {
      guard stage.exchange(Stage.returned, ordering: .relaxed) == Stage.late else { return false }
      calls.hanging.subtract(1, ordering: .relaxed)
      return true
    }
  }
}
