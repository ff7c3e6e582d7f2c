import EaselCore
import FoundationEssentials
import Glibc

/// The clock of the system, whose uptime also counts the time for which the machine slept.
struct SleepCountingClock: ImageClock {
  private let system = SystemClock()

  var date: Date { system.date }

  var uptime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  func sleep(for duration: Duration) async throws { try await system.sleep(for: duration) }

  func block(for duration: Duration) { system.block(for: duration) }
}
