/// Stores one after another for each original and layer, and never lets what came of older bytes overwrite what came
/// of newer ones, nor what was under way put back what was removed.
final class StoreLanes: Sendable {
  private struct Lane {
    var newest: (turn: UInt64, generation: UInt64)?
    var last: Task<Void, Never>?
    var waiting = 0
    var voids = Voids()
  }

  private struct LaneKey: Hashable {
    let original: CacheKey
    let isDisk: Bool
  }

  /// From where on stores count: what began before something was removed does not, nor while it is being removed.
  private struct Voids {
    var underWay = 0
    var lastTurn: UInt64 = 0

    func include(_ turn: UInt64) -> Bool { underWay > 0 || turn <= lastTurn }
  }

  private struct State {
    var turn: UInt64 = 0
    var lanes: [LaneKey: Lane] = [:]
    var underWay: [CacheKey: Int] = [:]
    var voidsInMemory = Voids()
    var voidsOnDisk = Voids()

    func isVoid(_ turn: UInt64, in key: LaneKey) -> Bool {
      (key.isDisk ? voidsOnDisk : voidsInMemory).include(turn) || lanes[key]?.voids.include(turn) == true
    }

    mutating func changeVoids(of original: CacheKey?, isDisk: Bool, _ body: (inout Voids) -> Void) {
      if let original {
        body(&lanes[LaneKey(original: original, isDisk: isDisk), default: Lane()].voids)
      } else if isDisk {
        body(&voidsOnDisk)
      } else {
        body(&voidsInMemory)
      }
    }

    func lanes(of original: CacheKey?, isDisk: Bool) -> [LaneKey] {
      if let original { return [LaneKey(original: original, isDisk: isDisk)] }
      return lanes.keys.filter { $0.isDisk == isDisk }
    }
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

  /// Runs `body` after everything that was put on the same lane before it, unless newer bytes were stored meanwhile or
  /// the original was removed.
  ///
  /// `turn` is that of the bytes, and `load` that of the load that wants them stored, which may have begun earlier.
  /// `brings` says whether the bytes are new and not from a cache.
  func add(
    _ turn: StoreTurn, of load: StoreTurn, generation: UInt64, brings: Bool, isDisk: Bool,
    _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let key = LaneKey(original: turn.original, isDisk: isDisk)
    let since = min(turn.number, load.number)
    return state.withLock { state in
      let previous = state.lanes[key]?.last
      let task = Task.detached {
        await previous?.value
        if self.claim(key, turn, since: since, generation, brings) { await body() }
        self.leave(key)
      }
      state.lanes[key, default: Lane()].last = task
      state.lanes[key]!.waiting += 1
      return task
    }
  }

  /// Removes an original, or all of them, so that it stays removed: no store runs meanwhile, and none that began before
  /// the end, or whose load did, runs later.
  func remove(
    _ original: CacheKey?, in layers: CacheLayers, _ body: (CacheLayers) async -> Void
  ) async {
    // Memory first: it is quick, and need not wait for a disk.
    let parts = [(layers.intersection(.memory), false), (layers.subtracting(.memory), true)].filter { !$0.0.isEmpty }
    for (_, isDisk) in parts {
      state.withLock { state in state.changeVoids(of: original, isDisk: isDisk) { $0.underWay += 1 } }
    }
    for (layers, isDisk) in parts {
      let running = state.withLock { state in
        state.lanes(of: original, isDisk: isDisk).compactMap { state.lanes[$0]?.last }
      }
      for task in running { await task.value }
      await body(layers)
    }
    for (_, isDisk) in parts {
      state.withLock { state in
        let last = state.turn
        state.changeVoids(of: original, isDisk: isDisk) { voids in
          voids.underWay -= 1
          voids.lastTurn = last
        }
        for key in state.lanes(of: original, isDisk: isDisk) {
          // There is nothing left that could be newer than what comes.
          state.lanes[key]?.newest = nil
          Self.forgetIfIdle(key, &state)
        }
      }
    }
  }

  /// Waits until everything that is to be stored now is stored.
  func drain() async {
    while let task = state.withLock({ $0.lanes.values.lazy.compactMap(\.last).first }) { await task.value }
  }

  private func claim(
    _ key: LaneKey, _ turn: StoreTurn, since: UInt64, _ generation: UInt64, _ brings: Bool
  ) -> Bool {
    state.withLock { state in
      guard !state.isVoid(since, in: key) else { return false }
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
    guard state.underWay[key.original] == nil, let lane = state.lanes[key], lane.waiting == 0,
      lane.voids.underWay == 0
    else { return }
    state.lanes[key] = nil
  }
}

/// Since when some work on an original has been under way.
final class StoreTurn: Sendable {
  let original: CacheKey
  let number: UInt64
  private let lanes: StoreLanes

  init(original: CacheKey, number: UInt64, lanes: StoreLanes) {
    self.original = original
    self.number = number
    self.lanes = lanes
  }

  deinit { lanes.end(original) }
}
