import EaselCore
import EaselSupport

/// Shows progress on a terminal, once the work has taken some time.
final class Progress: Sendable {
  private struct State {
    var board: ProgressBoard
    var drawn = Duration.zero
    var isShown = false
  }

  private let console: Console
  private let clock: any ImageClock
  private let start: Duration
  private let state: Locked<State>

  private static let patience = Duration.milliseconds(400)
  private static let pause = Duration.milliseconds(100)

  init(_ console: Console, total: Int, unit: String, countsBytes: Bool = true, clock: any ImageClock = SystemClock()) {
    self.console = console
    self.clock = clock
    start = clock.uptime
    state = Locked(State(board: ProgressBoard(total: total, unit: unit, countsBytes: countsBytes, at: start)))
  }

  func begin(_ index: Int, _ name: String) { change { $0.begin(index, name, at: $1) } }

  func progress(_ index: Int, _ received: Int, _ expected: Int?) {
    change { $0.progress(index, received, expected, at: $1) }
  }

  func end(_ index: Int) { change { $0.end(index, at: $1) } }

  /// Updates the lines while nothing happens.
  func tick() { change { _, _ in } }

  /// Removes the lines.
  func finish() {
    if state.withLock({ $0.isShown }) { console.progress([]) }
  }

  private func change(_ body: (inout ProgressBoard, Duration) -> Void) {
    guard console.showsProgress else { return }
    let now = clock.uptime
    let size = console.size
    let lines = state.withLock { state -> [String]? in
      body(&state.board, now)
      guard now - start > Self.patience, now - state.drawn >= Self.pause, !state.board.isFinished else { return nil }
      state.drawn = now
      state.isShown = true
      return state.board.lines(columns: size.columns, rows: size.rows, at: now)
    }
    if let lines { console.progress(lines) }
  }
}
