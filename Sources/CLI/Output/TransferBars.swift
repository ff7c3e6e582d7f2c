import EaselCore

/// Shows a bar for each transfer and one for all on a terminal, once the transfers have taken some time.
final class TransferBars: Sendable {
  private struct Transfer {
    var name: String
    var received = 0
    var expected: Int?
  }

  private struct State {
    var running: [Int: Transfer] = [:]
    var finished = 0
    var bytes = 0
    var drawn = Duration.zero
    var isShown = false
  }

  private let console: Console
  private let total: Int
  private let clock: any ImageClock
  private let start: Duration
  private let state = Locked(State())

  private static let patience = Duration.milliseconds(400)
  private static let pause = Duration.milliseconds(60)
  private static let mostShown = 8

  init(_ console: Console, total: Int, clock: any ImageClock = SystemClock()) {
    self.console = console
    self.total = total
    self.clock = clock
    start = clock.uptime
  }

  func begin(_ index: Int, _ name: String) { change { $0.running[index] = Transfer(name: name) } }

  func progress(_ index: Int, _ received: Int, _ expected: Int?) {
    change { state in
      state.running[index]?.received = received
      state.running[index]?.expected = expected
    }
  }

  func end(_ index: Int) {
    change { state in
      state.bytes += state.running.removeValue(forKey: index)?.received ?? 0
      state.finished += 1
    }
  }

  /// Updates the bars while no bytes arrive.
  func tick() { change { _ in } }

  /// Removes the bars.
  func finish() {
    if state.withLock({ $0.isShown }) { console.progress([]) }
  }

  private func change(_ body: (inout State) -> Void) {
    guard console.areErrorsShown else { return }
    let now = clock.uptime
    let lines = state.withLock { state -> [String]? in
      body(&state)
      guard now - start > Self.patience, now - state.drawn > Self.pause, state.finished < total else { return nil }
      state.drawn = now
      state.isShown = true
      return Self.lines(state, total)
    }
    if let lines { console.progress(lines) }
  }

  private static func lines(_ state: State, _ total: Int) -> [String] {
    let transfers = state.running.sorted { $0.key < $1.key }.prefix(mostShown).map { line($0.value) }
    let bytes = state.running.values.reduce(state.bytes) { $0 + $1.received }
    let part = Double(state.finished) / Double(max(1, total))
    return transfers + [ProgressBar.line(part, "\(state.finished) of \(total), \(Quantity.bytes(bytes))")]
  }

  private static func line(_ transfer: Transfer) -> String {
    let name = printable(String(transfer.name.suffix(40)))
    guard let expected = transfer.expected, expected > 0 else {
      return "\(Quantity.bytes(transfer.received)) \(name)"
    }
    return ProgressBar.line(Double(transfer.received) / Double(expected), name, width: 20)
  }
}
