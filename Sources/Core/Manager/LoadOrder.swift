/// Makes loads reach the loader in the order in which they began, whichever task runs first.
///
/// A load waits for earlier loads of its priority or a higher one that are still looked up in the caches, until each
/// reaches the loader or turns out not to need it. It does not wait for those of a lower priority, which it overtakes at
/// the loader anyway. The wait is short, because a slow disk must not delay unrelated loads.
final class LoadOrder: Sendable {
  /// The turns of loads of one priority.
  private struct Row {
    /// The turns of loads that may still come, in order.
    ///
    /// Turns that have left stay in the array until they reach its head.
    private var turns: [UInt64] = []
    private var head = 0

    var first: UInt64? { head < turns.count ? turns[head] : nil }
    var last: UInt64? { turns.last }
    var rest: ArraySlice<UInt64> { turns[head...] }

    mutating func insert(_ turn: UInt64) {
      var index = turns.count
      // Turns are taken outside the lock, so two of them may arrive in the wrong order.
      while index > head, turns[index - 1] > turn { index -= 1 }
      turns.insert(turn, at: index)
    }

    /// Removes those at the head that have left.
    mutating func removeFirst(while hasLeft: (UInt64) -> Bool) {
      while let first, hasLeft(first) { head += 1 }
      if head == turns.count {
        turns.removeAll(keepingCapacity: turns.count < 1024)
        head = 0
      } else if head > 1024, head > turns.count / 2 {
        turns.removeFirst(head)
        head = 0
      }
    }
  }

  private struct State {
    /// By priority.
    var rows = [Row](repeating: Row(), count: LoadPriority.allCases.count)
    /// The loads that may still come, with the priorities with which they began.
    var open: [UInt64: LoadPriority] = [:]
    var waiting: [UInt64: UnsafeContinuation<Void, Never>] = [:]
    /// The last turn in the rows when the timer last fired.
    var lastSeen: UInt64 = 0
    var hasTimer = false

    /// True if no earlier load of the same or a higher priority may still come.
    func mayGo(_ turn: UInt64) -> Bool {
      guard let priority = open[turn] else { return true }
      return rows[priority.rawValue...].allSatisfy { $0.first.map { $0 >= turn } ?? true }
    }

    /// Removes a turn, and returns the continuations that need not wait any longer.
    ///
    /// These are the continuations of the new first turns, and that of the removed turn if it waits: its load may be
    /// gone while other loads still need its transfer.
    mutating func remove(_ turn: UInt64) -> [UnsafeContinuation<Void, Never>] {
      guard let priority = open.removeValue(forKey: turn) else { return [] }
      var ready = [waiting.removeValue(forKey: turn)]
      let open = open
      rows[priority.rawValue].removeFirst { open[$0] == nil }
      for case let first? in rows[...priority.rawValue].map(\.first) where mayGo(first) {
        ready.append(waiting.removeValue(forKey: first))
      }
      return ready.compactMap { $0 }
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
  func enter(_ turn: UInt64, at priority: LoadPriority = .normal) {
    state.withLock { state in
      state.open[turn] = priority
      state.rows[priority.rawValue].insert(turn)
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
        guard !state.mayGo(turn) else { return (true, false) }
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
    state.withLock { !$0.mayGo(turn) }
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
      let late = state.rows.flatMap(\.rest).filter {
        $0 <= state.lastSeen && state.open[$0] != nil && state.waiting[$0] == nil
      }
      let ready = late.flatMap { state.remove($0) }
      state.lastSeen = state.rows.compactMap(\.last).max() ?? state.lastSeen
      state.hasTimer = !state.waiting.isEmpty
      return (ready, state.hasTimer)
    }
    for continuation in ready { continuation.resume() }
    return goesOn
  }
}
