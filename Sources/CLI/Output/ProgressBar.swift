import EaselCore

/// Shows the progress of long work, only on a terminal and only after some time.
final class ProgressBar: Sendable {
  private struct State {
    var done = 0
    var isShown = false
    var drawn = Duration.zero
  }

  private let console: Console
  private let total: Int
  private let unit: String
  private let clock: any ImageClock
  private let start: Duration
  private let state = Locked(State())

  private static let patience = Duration.milliseconds(500)
  private static let pause = Duration.milliseconds(50)

  init(_ console: Console, total: Int, unit: String, clock: any ImageClock = SystemClock()) {
    self.console = console
    self.total = total
    self.unit = unit
    self.clock = clock
    start = clock.uptime
  }

  /// Counts one more finished item.
  func step() {
    guard console.areErrorsShown else { return }
    let now = clock.uptime
    let line = state.withLock { state -> String? in
      state.done += 1
      guard now - start > Self.patience, state.done < total, now - state.drawn > Self.pause else { return nil }
      state.drawn = now
      state.isShown = true
      return Self.line(Double(state.done) / Double(max(1, total)), "\(state.done) of \(total) \(unit)")
    }
    if let line { console.progress([line]) }
  }

  /// Removes the bar.
  func finish() {
    if state.withLock({ $0.isShown }) { console.progress([]) }
  }

  /// A bar such as `[=====     ] 50 % text`.
  static func line(_ part: Double, _ text: String, width: Int = 30) -> String {
    let part = min(1, max(0, part))
    let filled = Int((part * Double(width)).rounded(.down))
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: width - filled)
    return "[\(bar)] \(Int(part * 100)) % \(text)"
  }
}
