import EaselSupport
import FoundationEssentials

/// A clock that tells the time and waits, so that tests can control time.
public protocol ImageClock: Sendable {
  /// The time of day, which may jump.
  var date: Date { get }
  /// The time since a fixed moment, which never goes back.
  var uptime: Duration { get }
  /// Suspends for `duration`.
  ///
  /// Throws `CancellationError` as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws
  /// Blocks the calling thread for `duration`.
  ///
  /// Call it only on threads outside the cooperative pool.
  func block(for duration: Duration)
}

/// The system clock.
public struct SystemClock: ImageClock {
  /// Creates a clock that shows the time of the system.
  public init() {}

  /// The time of day.
  public var date: Date { Date() }

  /// The time since the machine started.
  public var uptime: Duration { Uptime.sinceStart }

  /// Suspends the task for `duration`, at most a hundred years.
  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration.bounded)
  }

  /// Blocks the calling thread for `duration`, at most a hundred years.
  public func block(for duration: Duration) { Uptime.blockThread(for: duration) }
}

extension ImageClock {
  /// The uptime of this clock, in the form that modules without `ImageClock` use.
  package var asUptime: Uptime { Uptime(now: { uptime }, block: { block(for: $0) }) }
}
