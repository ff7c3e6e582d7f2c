import Glibc

/// The time since a fixed moment, which never goes back, and a way to block a thread for some time.
package struct Uptime: Sendable {
  /// The time since the fixed moment.
  package let now: @Sendable () -> Duration
  /// Blocks the calling thread, at most for a hundred years.
  package let block: @Sendable (Duration) -> Void

  /// Creates a clock from two functions, for tests.
  package init(now: @escaping @Sendable () -> Duration, block: @escaping @Sendable (Duration) -> Void) {
    self.now = now
    self.block = block
  }

  /// The time since the machine started.
  package static let system = Uptime(now: { sinceStart }, block: { blockThread(for: $0) })

  /// The time since the machine started.
  package static var sinceStart: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Blocks the calling thread, at most for a hundred years.
  package static func blockThread(for duration: Duration) {
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
