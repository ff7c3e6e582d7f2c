import FoundationEssentials

/// A clock that tells the time and waits, so that tests can control time.
public protocol ImageClock: Sendable {
  /// The time of day, which may jump.
  var date: Date { get }
  /// The time since a fixed moment, which never goes back.
  var uptime: Duration { get }
  /// Suspends for `duration`. Throws `CancellationError` as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws
  /// Blocks the calling thread for `duration`. Call it only on threads outside the cooperative pool.
  func block(for duration: Duration)
}
