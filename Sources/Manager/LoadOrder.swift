import EaselCore
import EaselSupport

/// Makes loads reach the loader in the order in which they began, whichever task runs first.
///
/// A load waits for earlier loads of its priority or a higher one that are still looked up in the caches, until each
/// has called the loader or turns out not to need it. It does not wait for those of a lower priority, which it
/// overtakes at the loader anyway. The wait is short, because a slow disk must not delay unrelated loads; but a load
/// that no thread has begun to look up yet is not slow, and is waited for.
final class LoadOrder: Sendable {
  /// The turns of loads of one priority.
  private struct Row {
    /// The turns of loads that may still come, in order.
    ///
    /// Turns that have left stay in the array until they reach its head.
    private var turns: [UInt64] = []
    private var head = 0

    var first: UInt64? { head < turns.count ? turns[head] : nil }
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

  /// A load that may still come.
  private struct Coming {
    /// The priority with which it began.
    let priority: LoadPriority
    /// The number of times that the timer had fired when its work began; nil before.
    var beganAt: UInt64?
  }

  private struct State {
    /// By priority.
    var rows = [Row](repeating: Row(), count: LoadPriority.allCases.count)
    var open: [UInt64: Coming] = [:]
    var waiting: [UInt64: UnsafeContinuation<Void, Never>] = [:]
    /// The number of times that the timer has fired.
    var ticks: UInt64 = 0
    var hasTimer = false

    /// True if no earlier load of the same or a higher priority may still come.
    func mayGo(_ turn: UInt64) -> Bool {
      guard let coming = open[turn] else { return true }
      return rows[coming.priority.rawValue...].allSatisfy { $0.first.map { $0 >= turn } ?? true }
    }

    /// Removes a turn, and returns the continuations that need not wait any longer.
    ///
    /// These are the continuations of the new first turns, and that of the removed turn if it waits: its load may be
    /// gone while other loads still need its transfer.
    mutating func remove(_ turn: UInt64) -> [UnsafeContinuation<Void, Never>] {
      guard let priority = open.removeValue(forKey: turn)?.priority else { return [] }
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
      state.open[turn] = Coming(priority: priority)
      state.rows[priority.rawValue].insert(turn)
    }
  }

  /// Notes that a thread has begun to look a load up.
  func begin(_ turn: UInt64?) {
    guard let turn else { return }
    state.withLock { $0.open[turn]?.beganAt = $0.ticks }
  }

  /// Removes a load that reaches the loader now or will never do so.
  func leave(_ turn: UInt64?) {
    guard let turn else { return }
    for continuation in state.withLock({ $0.remove(turn) }) { continuation.resume() }
  }

  /// Calls `body` when all earlier loads have called theirs or left.
  ///
  /// Later loads go on once `body` has run up to its first suspension, so that none of them overtakes it on another
  /// thread. A load that has left calls `body` at once.
  func inTurn<Value: Sendable>(
    _ turn: UInt64?, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let turn, isOpen(turn) else { return try await body() }
    await wait(turn)
    guard !Task.isCancelled else {
      leave(turn)
      throw CancellationError()
    }
    let task = Task.immediate(priority: .medium) { try await body() }
    leave(turn)
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func wait(_ turn: UInt64) async {
    guard isEarly(turn) else { return }
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
  }

  private func isOpen(_ turn: UInt64) -> Bool { state.withLock { $0.open[turn] != nil } }

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
      state.ticks += 1
      // Those whose work began before the timer fired the last time.
      let late = state.rows.flatMap(\.rest).filter { turn in
        guard state.waiting[turn] == nil, let beganAt = state.open[turn]?.beganAt else { return false }
        return beganAt + 1 < state.ticks
      }
      let ready = late.flatMap { state.remove($0) }
      state.hasTimer = !state.waiting.isEmpty
      return (ready, state.hasTimer)
    }
    for continuation in ready { continuation.resume() }
    return goesOn
  }
}
