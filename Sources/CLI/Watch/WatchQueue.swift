import EaselCore
import EaselSupport

/// The files that a watch still has to convert; a file that changes several times waits only once.
///
/// The queue holds a limited number of files. Further files are dropped, and a later scan of all files finds them.
final class WatchQueue: Sendable {
  /// A file to convert.
  struct Item: Hashable, Sendable {
    let path: String
    let subfolder: String
    /// True if the result is certainly older; false if the times of both files decide.
    var hasChanged = true
  }

  private struct State {
    var waiting: [String: Item] = [:]
    var order: [String] = []
    var first = 0
    var running: Set<String> = []
    /// The files that changed during their conversion.
    var again: [String: Item] = [:]
    var missed = false
    var isClosed = false
  }

  private let state = Locked(State())
  private let news = Semaphore()
  private let most: Int

  init(most: Int = 10_000) { self.most = most }

  /// Adds a file, unless it is already waiting; returns false if there is no room.
  @discardableResult
  func add(_ item: Item) -> Bool {
    let (isTaken, isNew) = state.withLock { state -> (Bool, Bool) in
      if state.waiting[item.path] != nil {
        if item.hasChanged { state.waiting[item.path] = item }
        return (true, false)
      }
      if state.running.contains(item.path) {
        if item.hasChanged { state.again[item.path] = item }
        return (true, false)
      }
      guard state.waiting.count < most else {
        state.missed = true
        return (false, false)
      }
      Self.append(item, &state)
      return (true, true)
    }
    if isNew { news.signal() }
    return isTaken
  }

  /// The next file; blocks until there is one, and returns nil after the queue was closed.
  func next() -> Item? {
    while true {
      news.wait()
      let (item, isOver) = state.withLock { state -> (Item?, Bool) in
        guard state.first < state.order.count else { return (nil, state.isClosed) }
        let path = state.order[state.first]
        state.first += 1
        if state.first > 1000, state.first * 2 > state.order.count {
          state.order.removeFirst(state.first)
          state.first = 0
        }
        state.running.insert(path)
        return (state.waiting.removeValue(forKey: path), false)
      }
      if let item { return item }
      guard isOver else { continue }
      // The other threads must end too.
      news.signal()
      return nil
    }
  }

  /// Notes that a file is done; returns true if files were dropped and it is time to scan for them.
  func finish(_ item: Item) -> Bool {
    let (isNew, isTime) = state.withLock { state -> (Bool, Bool) in
      state.running.remove(item.path)
      let changed = state.again.removeValue(forKey: item.path)
      if let changed { Self.append(changed, &state) }
      let isTime = state.missed && state.waiting.isEmpty && state.running.isEmpty
      if isTime { state.missed = false }
      return (changed != nil, isTime)
    }
    if isNew { news.signal() }
    return isTime
  }

  /// Closes the queue: `next` returns nil once all files are taken.
  func close() {
    state.withLock { $0.isClosed = true }
    news.signal()
  }

  private static func append(_ item: Item, _ state: inout State) {
    state.waiting[item.path] = item
    state.order.append(item.path)
  }
}
