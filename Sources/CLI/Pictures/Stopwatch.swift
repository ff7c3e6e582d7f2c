import EaselCore

/// Measures the time of repeated work.
struct Stopwatch {
  private let clock = SystemClock()
  private(set) var total = Duration.zero

  /// Runs `body` and adds its time.
  mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = clock.uptime
    defer { total += clock.uptime - start }
    return try body()
  }

  /// The median of the times; for an even number of times, the mean of the middle two.
  static func median(_ times: [Duration]) -> Duration {
    let sorted = times.sorted()
    guard !sorted.isEmpty else { return .zero }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
