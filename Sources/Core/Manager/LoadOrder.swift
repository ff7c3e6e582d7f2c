/// Lets loads come to the loader in the order in which they were begun, whichever task runs first.
///
/// Later loads wait for one that is still looked for in the caches, and for none of which is known that it will not come.
/// They do not wait for long, since a slow disk must not hold up what has nothing to do with it.
final class LoadOrder: Sendable {
  private struct State {
    /// Those who may still come, in their order; some have left already.
    var row: [UInt64] = []
    var head = 0
    var open: Set<UInt64> = []
    var waiting: [UInt64: UnsafeContinuation<Void, Never>] = [:]
    /// The last turn that was taken when the timer was looked at before.
    var lastSeen: UInt64 = 0
    var hasTimer = false

    var first: UInt64? { head < row.count ? row[head] : nil }

    /// Takes a turn out, and returns those who need not wait any longer.
    ///
    /// They are whoever is the first now, and what waits at this turn, since a transfer may go on for others than the load
    /// it was begun for.
    mutating func remove(_ turn: UInt64) -> [UnsafeContinuation<Void, Never>] {
      guard open.remove(turn) != nil else { return [] }
      let own = waiting.removeValue(forKey: turn)
      while let first, !open.contains(first) { head += 1 }
      if head == row.count {
        row.removeAll(keepingCapacity: row.count < 1024)
        head = 0
      } else if head > 1024, head > row.count / 2 {
        row.removeFirst(head)
        head = 0
      }
      return [own, first.flatMap { waiting.removeValue(forKey: $0) }].compactMap { $0 }
    }
  }

  private let patience: Duration
  private let state = Locked(State())

  init(patience: Duration = .milliseconds(20)) { self.patience = patience }

  /// How many may still come.
  var openCount: Int { state.withLock { $0.open.count } }

  /// How many wait for others.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Notes that a load was begun which may come to the loader.
  func enter(_ turn: UInt64) {
    state.withLock { state in
      state.open.insert(turn)
      var index = state.row.count
      // Turns are taken outside the lock, so that two may come the wrong way round.
      while index > state.head, state.row[index - 1] > turn { index -= 1 }
      state.row.insert(turn, at: index)
    }
  }

  /// Notes that a load will not come any more, or comes at this moment.
  func leave(_ turn: UInt64?) {
    guard let turn else { return }
    for continuation in state.withLock({ $0.remove(turn) }) { continuation.resume() }
  }

  /// Waits until all who were begun earlier have come or left.
  func waitForTurn(_ turn: UInt64?) async {
    guard let turn, isEarly(turn) else { return leave(turn) }
    await withUnsafeContinuation { continuation in
      let (isFirst, needsTimer) = state.withLock { state in
        guard state.open.contains(turn), state.first != turn else { return (true, false) }
        state.waiting[turn] = continuation
        defer { state.hasTimer = true }
        return (false, !state.hasTimer)
      }
      if isFirst { continuation.resume() }
      if needsTimer { startTimer() }
    }
    leave(turn)
  }

  private func isEarly(_ turn: UInt64) -> Bool {
    state.withLock { $0.open.contains(turn) && $0.first != turn }
  }

  /// As long as someone waits, takes out those who keep others waiting for longer than the patience lasts.
  private func startTimer() {
    Task.detached {
      repeat { try? await SystemClock().sleep(for: self.patience) } while self.removeTheLate()
    }
  }

  private func removeTheLate() -> Bool {
    let (ready, goesOn) = state.withLock { state -> ([UnsafeContinuation<Void, Never>], Bool) in
      let late = state.row[state.head...].filter {
        $0 <= state.lastSeen && state.open.contains($0) && state.waiting[$0] == nil
      }
      let ready = late.flatMap { state.remove($0) }
      state.lastSeen = state.row.last ?? state.lastSeen
      state.hasTimer = !state.waiting.isEmpty
      return (ready, state.hasTimer)
    }
    for continuation in ready { continuation.resume() }
    return goesOn
  }
}
