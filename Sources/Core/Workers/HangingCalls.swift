import Synchronization

/// Counts the calls of one plug-in that are overdue and have not returned yet.
///
/// A plug-in that hangs is then not called again and again, which would cost a thread each time.
final class HangingCalls: Sendable {
  private let hanging = Atomic(0)

  /// The number of calls that hang now.
  var count: Int { hanging.load(ordering: .relaxed) }

  /// One call, which returns in time or hangs.
  final class Call: Sendable {
    private enum Stage { static let running = 0, late = 1, returned = 2 }

    private let calls: HangingCalls
    private let stage = Atomic(Stage.running)

    init(of calls: HangingCalls) { self.calls = calls }

    /// Marks the call as overdue: its caller no longer waits.
    @Sendable func noteLate() {
      let (isRunning, _) = stage.compareExchange(
        expected: Stage.running, desired: Stage.late, ordering: .relaxed)
      if isRunning { calls.hanging.add(1, ordering: .relaxed) }
    }

    /// Marks the call as returned; true when it was overdue.
    func hasReturned() -> Bool {
      guard stage.exchange(Stage.returned, ordering: .relaxed) == Stage.late else { return false }
      calls.hanging.subtract(1, ordering: .relaxed)
      return true
    }
  }
}
