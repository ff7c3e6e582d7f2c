import FoundationEssentials
import Glibc

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
  /// Creates the clock.
  public init() {}

  /// The time of day.
  public var date: Date { Date() }

  /// The time since the machine started.
  public var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Suspends the task for `duration`, at most a hundred years.
  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration.bounded)
  }

  /// Blocks the calling thread for `duration`, at most a hundred years.
  public func block(for duration: Duration) {
    let (seconds, attoseconds) = duration.bounded.components
    var wanted = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    var left = timespec()
    while nanosleep(&wanted, &left) != 0 && errno == EINTR { wanted = left }
  }
}

extension Duration {
  /// A hundred years, the maximum of ``bounded``, so that sums and the system's clocks do not overflow.
  package static let longest = Duration.seconds(100 * 365 * 86_400)

  /// The duration, limited to the range from zero to a hundred years.
  package var bounded: Duration { Swift.min(Swift.max(self, .zero), .longest) }
}
