import EaselCore

/// Measures the time of repeated work.
struct Stopwatch {
  private let clock = SystemClock()
  private(set) var total = Duration.zero

  /// Runs `body` and adds the time it took.
  mutating func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let start = clock.uptime
    defer { total += clock.uptime - start }
    return try body()
  }

  /// The median; of an even number of times, the mean of the two in the middle.
  static func median(_ times: [Duration]) -> Duration {
    let sorted = times.sorted()
    guard !sorted.isEmpty else { return .zero }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }
}
