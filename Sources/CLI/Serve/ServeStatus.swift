import EaselCore
import EaselService

/// The line that shows on a terminal what the server does.
struct ServeStatus {
  private let metrics: ServiceMetrics
  private let clock: any ImageClock
  /// The readings of the last seconds, oldest first.
  private var readings: [(reading: MetricsReading, time: Duration)] = []

  private static let window = Duration.seconds(5)

  init(_ metrics: ServiceMetrics, clock: any ImageClock = SystemClock()) {
    self.metrics = metrics
    self.clock = clock
  }

  /// The line for this moment.
  mutating func line() -> String {
    let now = clock.uptime
    guard let reading = MetricsReading(metrics.text()) else { return "" }
    readings.append((reading, now))
    while readings.count > 2, now - readings[0].time > Self.window { readings.removeFirst() }
    return StatsView.line(
      readings.count == 1
        ? ServerFigures(reading)
        : ServerFigures(reading, since: readings[0].reading, seconds: (now - readings[0].time) / .seconds(1)))
  }
}
