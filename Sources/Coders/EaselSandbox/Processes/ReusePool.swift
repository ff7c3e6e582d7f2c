import EaselCore
import EaselSupport

/// Items kept for reuse up to a total cost, and dropped if nobody uses them for a while.
final class ReusePool<Item: Sendable>: Sendable {
  private struct Entry {
    var item: Item
    var cost: Int
    var since: Duration
  }

  private struct State {
    /// The kept items; the one that has waited longest is first.
    var entries: [Entry] = []
    var isTrimming = false
  }

  private let limit: Int
  private let idleTime: Duration
  private let clock: any ImageClock
  private let state = Locked(State())

  init(limit: Int, idleTime: Duration, clock: any ImageClock = SystemClock()) {
    self.limit = limit
    self.idleTime = idleTime
    self.clock = clock
  }

  /// The number of items.
  var count: Int { state.withLock { $0.entries.count } }

  /// Keeps an item; the items that have waited longest make room for it.
  func put(_ item: Item, cost: Int = 1) {
    guard cost <= limit else { return }
    let now = clock.uptime
    var surplus: [Entry] = []
    let mustStartTrimming = state.withLock { state in
      state.entries.append(Entry(item: item, cost: cost, since: now))
      var total = state.entries.reduce(0) { $0 + $1.cost }
      while total > limit {
        let oldest = state.entries.removeFirst()
        total -= oldest.cost
        surplus.append(oldest)
      }
      defer { state.isTrimming = true }
      return !state.isTrimming
    }
    // The items are dropped outside the lock, because this ends processes and closes files.
    surplus.removeAll()
    if mustStartTrimming { startTrimming() }
  }

  /// Takes the suitable item that was kept last.
  func take(where suits: (Item) -> Bool) -> Item? {
    state.withLock { state in
      state.entries.lastIndex { suits($0.item) }.map { state.entries.remove(at: $0).item }
    }
  }

  /// Drops the items that have waited too long; returns true while others still wait.
  @discardableResult
  func trim() -> Bool {
    let now = clock.uptime
    let (idle, remains) = state.withLock { state in
      let count = state.entries.prefix { now - $0.since >= idleTime }.count
      let idle = Array(state.entries.prefix(count))
      state.entries.removeFirst(count)
      state.isTrimming = !state.entries.isEmpty
      return (idle, state.isTrimming)
    }
    withExtendedLifetime(idle) {}
    return remains
  }

  /// Drops everything.
  func removeAll() {
    let all = state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
    withExtendedLifetime(all) {}
  }

  private func startTrimming() {
    let (pause, clock) = (idleTime, clock)
    let hasStarted = PlainThread.start { [weak self] in
      repeat {
        clock.block(for: pause)
      } while self?.trim() == true
    }
    // If the system could start no thread, the next item tries again.
    if !hasStarted { state.withLock { $0.isTrimming = false } }
  }
}
