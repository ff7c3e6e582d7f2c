import FoundationEssentials
import Glibc

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
