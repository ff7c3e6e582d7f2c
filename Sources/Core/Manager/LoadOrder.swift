/// Makes loads reach the loader in the order in which they began, whichever task runs first.
///
/// A load waits for earlier loads that are still looked up in the caches, until each reaches the loader or turns out
/// not to need it. The wait is short, because a slow disk must not delay unrelated loads.
final class LoadOrder: Sendable {
  private struct State {
    /// The turns of loads that may still come, in order.
    ///
    /// Turns that have left stay in the array until they reach its head.
    var row: [UInt64] = []
    var head = 0
    var open: Set<UInt64> = []
    var waiting: [UInt64: UnsafeContinuation<Void, Never>] = [:]
    /// The last turn in the row when the timer last fired.
    var lastSeen: UInt64 = 0
    var hasTimer = false

    var first: UInt64? { head < row.count ? row[head] : nil }

    /// Removes a turn, and returns the continuations that need not wait any longer.
    ///
    /// These are the continuation of the new first turn, and that of the removed turn if it waits: its load may be gone
    /// while other loads still need its transfer.
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

  /// The number of loads that may still come.
  var openCount: Int { state.withLock { $0.open.count } }

  /// The number of loads that wait for others.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Adds a load that has begun and may reach the loader.
  func enter(_ turn: UInt64) {
    state.withLock { state in
      state.open.insert(turn)
      var index = state.row.count
      // Turns are taken outside the lock, so two of them may arrive in the wrong order.
      while index > state.head, state.row[index - 1] > turn { index -= 1 }
      state.row.insert(turn, at: index)
    }
  }

  /// Removes a load that reaches the loader now or will never do so.
  func leave(_ turn: UInt64?) {
    guard let turn else { return }
    for continuation in state.withLock({ $0.remove(turn) }) { continuation.resume() }
  }

  /// Waits until all earlier loads have reached the loader or left.
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

  /// Starts a timer that removes the loads which keep others waiting for longer than `patience`.
  ///
  /// It runs while any load waits.
  private func startTimer() {
    Task.detached {
      repeat { try? await SystemClock().sleep(for: self.patience) } while self.stopWaitingForLateLoads()
    }
  }

  private func stopWaitingForLateLoads() -> Bool {
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
