import Synchronization

/// Counts the calls of one plug-in that did not return in time and have not done so since, so that what hangs is not
/// called over and over, at the price of a thread each time.
final class HangingCalls: Sendable {
  private let hanging = Atomic(0)

  /// How many there are.
  var count: Int { hanging.load(ordering: .relaxed) }

  /// One call, which returns in time or not.
  final class Call: Sendable {
    private enum Stage { static let running = 0, late = 1, returned = 2 }

    private let calls: HangingCalls
    private let stage = Atomic(Stage.running)

    init(of calls: HangingCalls) { self.calls = calls }

    /// Says that nobody waits for it any more.
    func isLate() {
      let (isRunning, _) = stage.compareExchange(
        expected: Stage.running, desired: Stage.late, ordering: .relaxed)
      if isRunning { calls.hanging.add(1, ordering: .relaxed) }
    }

    /// Says that it returned; true when that was too late.
    func hasReturned() -> Bool {
      guard stage.exchange(Stage.returned, ordering: .relaxed) == Stage.late else { return false }
      calls.hanging.subtract(1, ordering: .relaxed)
      return true
    }
  }
}
