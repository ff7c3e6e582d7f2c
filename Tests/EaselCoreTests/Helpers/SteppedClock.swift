import EaselCore
import FoundationEssentials

/// A clock that moves only when a test moves it.
final class SteppedClock: ImageClock {
  private let now = Locked(Duration.zero)

  var date: Date { Date(timeIntervalSinceReferenceDate: Double(uptime.components.seconds)) }
  var uptime: Duration { now.withLock { $0 } }

  func advance(by duration: Duration) { now.withLock { $0 += duration } }

  func sleep(for duration: Duration) async throws { advance(by: duration) }
  func block(for duration: Duration) { advance(by: duration) }
}
