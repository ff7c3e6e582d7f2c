import FoundationEssentials

/// What tells the time and waits, so that tests can drive it by hand.
public protocol ImageClock: Sendable {
  /// The time of day, which may jump.
  var date: Date { get }
  /// The time since some fixed moment, which never goes back.
  var uptime: Duration { get }
  /// Suspends for `duration`, or throws `CancellationError` as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws
  /// Blocks the calling thread for `duration`; only for threads outside the cooperative pool.
  func block(for duration: Duration)
}
