import EaselCore
import EaselSupport

/// Counts damaged and foreign values, and reports them at most once a minute.
final class DamageLog: Sendable {
  private static let interval = Duration.seconds(60)

  private let log: (@Sendable (String) -> Void)?
  private let clock: any ImageClock
  private let state = Locked<(count: Int, untold: Int, last: Duration?)>((0, 0, nil))

  init(_ log: (@Sendable (String) -> Void)?, clock: any ImageClock) {
    self.log = log
    self.clock = clock
  }

  var count: Int { state.withLock { $0.count } }

  func note(_ name: String, _ reason: String) {
    let now = clock.uptime
    let untold = state.withLock { state -> Int? in
      state.count += 1
      state.untold += 1
      if let last = state.last, now - last < Self.interval { return nil }
      state.last = now
      defer { state.untold = 0 }
      return state.untold
    }
    guard let untold, let log else { return }
    log(
      "Redis had \(untold == 1 ? "a value" : "\(untold) values") that cannot be used, the last one \(name): \(reason) "
        + "Each counts as a miss. Check who else writes under this prefix.")
  }
}
