import EaselCore
import EaselSupport
import FoundationEssentials

/// A clock on which every sleep ends at once.
final class HastyClock: ImageClock {
  private let slept = Locked(Duration.zero)

  var date: Date { Date(timeIntervalSince1970: uptime / .seconds(1)) }
  var uptime: Duration { slept.withLock { $0 } }
  func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    pass(duration)
  }
  func block(for duration: Duration) { pass(duration) }

  private func pass(_ duration: Duration) { slept.withLock { $0 += max(.zero, duration) } }
}
