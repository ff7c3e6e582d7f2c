import EaselCore
import EaselSupport
import Synchronization

/// Runs the stores of each original and layer one after another.
///
/// Entries made from older bytes never overwrite entries made from newer bytes, and running work never restores entries
/// that were removed.
package final class StoreQueues: Sendable {
  private struct Queue {
    var newest: (turn: UInt64, generation: UInt64)?
    var last: Task<Void, Never>?
    var waiting = 0
    var voids = Voids()
  }

  private struct QueueKey: Hashable {
    let original: CacheKey
    let layer: CacheLayers
  }

  /// The stores that a removal makes void: those that began before the end of the removal.
  private struct Voids {
    var underWay = 0
    var lastTurn: UInt64 = 0

    func include(_ turn: UInt64) -> Bool { underWay > 0 || turn <= lastTurn }
  }

  /// The queues of some of the originals.
  private struct State {
    var queues: [QueueKey: Queue] = [:]
    var underWay: [CacheKey: Int] = [:]
    var voidsInMemory = Voids()
    var voidsOnDisk = Voids()
    var voidsInShared = Voids()

    /// The void stores of all originals in one layer.
    subscript(voidsIn layer: CacheLayers) -> Voids {
      get { layer == .memory ? voidsInMemory : layer == .disk ? voidsOnDisk : voidsInShared }
      set {
        if layer == .memory {
          voidsInMemory = newValue
        } else if layer == .disk {
          voidsOnDisk = newValue
        } else {
          voidsInShared = newValue
        }
      }
    }

    func isVoid(_ turn: UInt64, in key: QueueKey) -> Bool {
      self[voidsIn: key.layer].include(turn) || queues[key]?.voids.include(turn) == true
    }

    mutating func changeVoids(of original: CacheKey?, in layer: CacheLayers, _ body: (inout Voids) -> Void) {
      if let original {
        body(&queues[QueueKey(original: original, layer: layer), default: Queue()].voids)
      } else {
        body(&self[voidsIn: layer])
      }
    }

    func queues(of original: CacheKey?, in layer: CacheLayers) -> [QueueKey] {
      if let original { return [QueueKey(original: original, layer: layer)] }
      return queues.keys.filter { $0.layer == layer }
    }
  }

  /// The layers, each of which has its own queues.
  private static let layers: [CacheLayers] = [.memory, .disk, .shared]

  /// Counted under the lock of a part, which orders the turns of its originals.
  private let turns = Atomic<UInt64>(0)
  /// Originals are divided into parts by their hash, so that loads of different pictures seldom wait for the same lock.
  private let parts = (0..<16).map { _ in Locked(State()) }

  private func part(of original: CacheKey) -> Locked<State> { parts[original.precomputedHash & (parts.count - 1)] }

  package init() {}

  /// Notes that work on this original begins.
  ///
  /// The work counts as running as long as the ticket exists.
  package func begin(_ original: CacheKey) -> StoreTicket {
    let number = part(of: original).withLock { state in
      state.underWay[original, default: 0] += 1
      return turns.add(1, ordering: .relaxed).newValue
    }
    return StoreTicket(original: original, number: number, queues: self)
  }

  fileprivate func end(_ original: CacheKey) {
    part(of: original).withLock { state in
      let left = (state.underWay[original] ?? 1) - 1
      state.underWay[original] = left > 0 ? left : nil
      for layer in Self.layers { Self.forgetIfIdle(QueueKey(original: original, layer: layer), &state) }
    }
  }

  /// Runs `body` after all earlier work in the same queue, unless newer bytes were stored or the original was removed
  /// in the meantime.
  ///
  /// `turn` is the turn of the bytes. `load` is the turn of the load that stores them, which may be earlier. `brings`
  /// is true when the bytes are new, and not from a cache.
  package func add(
    _ turn: StoreTicket, of load: StoreTicket, generation: UInt64, brings: Bool, in layer: CacheLayers,
    _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let key = QueueKey(original: turn.original, layer: layer)
    let since = min(turn.number, load.number)
    return part(of: key.original).withLock { state in
      let previous = state.queues[key]?.last
      // Loads wait for their store in memory, so that of an urgent one is urgent too.
      let task = Task(priority: layer == .memory ? max(.medium, Task.currentPriority) : .medium) {
        await previous?.value
        if self.claim(key, turn, since: since, generation, brings) { await body() }
        self.leave(key)
        // Until here, the queues of the other layers know the newest bytes, so that what a layer still has of older ones
        // is not stored in another.
        withExtendedLifetime(turn) {}
      }
      state.queues[key, default: Queue()].last = task
      state.queues[key]!.waiting += 1
      return task
    }
  }

  /// Removes an original, or all of them, and keeps running work from storing them again.
  ///
  /// No store runs during the removal. A later store runs only if it and its load began after the end of the removal.
  package func remove(
    _ original: CacheKey?, in layers: CacheLayers, _ body: (CacheLayers) async -> Void
  ) async {
    let affected = original.map { [part(of: $0)] } ?? parts
    let single = Self.layers.filter { layers.contains($0) }
    for part in affected {
      part.withLock { state in
        for layer in single { state.changeVoids(of: original, in: layer) { $0.underWay += 1 } }
      }
    }
    // Memory comes first, because it is quick and need not wait for a disk or a network.
    for together in [layers.intersection(.memory), layers.subtracting(.memory)] where !together.isEmpty {
      let running = affected.flatMap { part in
        part.withLock { state in
          single.filter { together.contains($0) }.flatMap { layer in
            state.queues(of: original, in: layer).compactMap { state.queues[$0]?.last }
          }
        }
      }
      for task in running { await task.value }
      await body(together)
    }
    for part in affected {
      part.withLock { state in
        for layer in single { endRemoval(of: original, from: layer, &state) }
      }
    }
  }

  /// Ends a removal: stores of loads that begin from now on may run.
  private func endRemoval(of original: CacheKey?, from layer: CacheLayers, _ state: inout State) {
    let last = turns.load(ordering: .relaxed)
    state.changeVoids(of: original, in: layer) { voids in
      voids.underWay -= 1
      voids.lastTurn = last
    }
    for key in state.queues(of: original, in: layer) {
      // Everything is removed, so there are no newer bytes that a later store could overwrite.
      state.queues[key]?.newest = nil
      Self.forgetIfIdle(key, &state)
    }
  }

  /// Waits until all current stores are done.
  package func drain() async {
    for part in parts {
      while let task = part.withLock({ $0.queues.values.lazy.compactMap(\.last).first }) { await task.value }
    }
  }

  private func claim(
    _ key: QueueKey, _ turn: StoreTicket, since: UInt64, _ generation: UInt64, _ brings: Bool
  ) -> Bool {
    part(of: key.original).withLock { state in
      guard !state.isVoid(since, in: key) else { return false }
      let newest = state.queues[key]?.newest
      // Bytes from a cache may be old, so work on them may store only if they are the newest bytes.
      if let newest, generation != newest.generation, !brings || turn.number < newest.turn { return false }
      if brings, turn.number >= newest?.turn ?? 0 {
        state.queues[key, default: Queue()].newest = (turn.number, generation)
      }
      return true
    }
  }

  private func leave(_ key: QueueKey) {
    part(of: key.original).withLock { state in
      state.queues[key]!.waiting -= 1
      if state.queues[key]!.waiting == 0 { state.queues[key]!.last = nil }
      Self.forgetIfIdle(key, &state)
    }
  }

  /// True when there are no queues and no running work.
  package var isEmpty: Bool { parts.allSatisfy { $0.withLock { $0.queues.isEmpty && $0.underWay.isEmpty } } }

  private static func forgetIfIdle(_ key: QueueKey, _ state: inout State) {
    guard state.underWay[key.original] == nil, let queue = state.queues[key], queue.waiting == 0,
      queue.voids.underWay == 0
    else { return }
    state.queues[key] = nil
  }
}

/// The time at which some work on an original began; the work counts as running while the ticket exists.
package final class StoreTicket: Sendable {
  let original: CacheKey
  let number: UInt64
  private let queues: StoreQueues

  fileprivate init(original: CacheKey, number: UInt64, queues: StoreQueues) {
    self.original = original
    self.number = number
    self.queues = queues
  }

  deinit { queues.end(original) }
}
