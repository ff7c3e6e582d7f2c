/// Stores one after another for each original and layer, and never lets what came of older bytes overwrite what came
/// of newer ones.
final class StoreLanes: Sendable {
  private struct Lane {
    var newest: (turn: UInt64, generation: UInt64)?
    var last: Task<Void, Never>?
    var waiting = 0
  }

  private struct LaneKey: Hashable {
    let original: CacheKey
    let isDisk: Bool
  }

  private struct State {
    var turn: UInt64 = 0
    var lanes: [LaneKey: Lane] = [:]
    var underWay: [CacheKey: Int] = [:]
  }

  private let state = Locked(State())

  /// Notes that work on this original begins; it is under way as long as the turn is held.
  func begin(_ original: CacheKey) -> StoreTurn {
    let number = state.withLock { state in
      state.turn += 1
      state.underWay[original, default: 0] += 1
      return state.turn
    }
    return StoreTurn(original: original, number: number, lanes: self)
  }

  func end(_ original: CacheKey) {
    state.withLock { state in
      let left = (state.underWay[original] ?? 1) - 1
      state.underWay[original] = left > 0 ? left : nil
      for isDisk in [false, true] { Self.forgetIfIdle(LaneKey(original: original, isDisk: isDisk), &state) }
    }
  }

  /// Runs `body` after everything that was put on the same lane before it, unless newer bytes were stored meanwhile.
  ///
  /// `brings` says whether the bytes are new and not from a cache.
  func add(
    _ turn: StoreTurn, generation: UInt64, brings: Bool, isDisk: Bool, _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let key = LaneKey(original: turn.original, isDisk: isDisk)
    return state.withLock { state in
      let previous = state.lanes[key]?.last
      let task = Task.detached {
        await previous?.value
        if self.claim(key, turn, generation, brings) { await body() }
        self.leave(key)
      }
      state.lanes[key, default: Lane()].last = task
      state.lanes[key]!.waiting += 1
      return task
    }
  }

  /// Waits until everything that is to be stored now is stored.
  func drain() async {
    while let task = state.withLock({ $0.lanes.values.lazy.compactMap(\.last).first }) { await task.value }
  }

  private func claim(_ key: LaneKey, _ turn: StoreTurn, _ generation: UInt64, _ brings: Bool) -> Bool {
    state.withLock { state in
      let newest = state.lanes[key]?.newest
      // What was made of a cached original says nothing about how new that is: it must be of the newest bytes.
      if let newest, generation != newest.generation, !brings || turn.number < newest.turn { return false }
      if brings, turn.number >= newest?.turn ?? 0 {
        state.lanes[key, default: Lane()].newest = (turn.number, generation)
      }
      return true
    }
  }

  private func leave(_ key: LaneKey) {
    state.withLock { state in
      state.lanes[key]!.waiting -= 1
      if state.lanes[key]!.waiting == 0 { state.lanes[key]!.last = nil }
      Self.forgetIfIdle(key, &state)
    }
  }

  /// Whether nothing is remembered of any original.
  var isEmpty: Bool { state.withLock { $0.lanes.isEmpty && $0.underWay.isEmpty } }

  private static func forgetIfIdle(_ key: LaneKey, _ state: inout State) {
    guard state.underWay[key.original] == nil, state.lanes[key]?.waiting == 0 else { return }
    state.lanes[key] = nil
  }
}
