import EaselCore
import FoundationEssentials

/// A clock that moves only when a test says so.
final class HandClock: ImageClock {
  private let elapsed = Locked(Duration.zero)

  var date: Date { Date(timeIntervalSince1970: 1_000_000 + uptime / .seconds(1)) }
  var uptime: Duration { elapsed.withLock { $0 } }

  func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }
  func sleep(for duration: Duration) async throws { advance(by: duration) }
  func block(for duration: Duration) { advance(by: duration) }
}
