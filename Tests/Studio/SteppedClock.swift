import EaselCore
import EaselSupport
import FoundationEssentials

/// A clock that moves only when a test moves it.
package final class SteppedClock: ImageClock {
  private let now = Locked(Duration.zero)

  package init() {}

  package var date: Date { Date(timeIntervalSinceReferenceDate: Double(uptime.components.seconds)) }
  package var uptime: Duration { now.withLock { $0 } }

  package func advance(by duration: Duration) { now.withLock { $0 += duration } }

  package func sleep(for duration: Duration) async throws { advance(by: duration) }
  package func block(for duration: Duration) { advance(by: duration) }
}
