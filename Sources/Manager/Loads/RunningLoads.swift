import EaselCore
import EaselSupport

/// The loads of a manager that have not ended.
final class RunningLoads: Sendable {
  /// The position of a load in the list.
  struct Slot { fileprivate let index: Int }

  private struct State {
    // This is an array with gaps, because millions of loads come and go, and each must be found in constant time.
    var row: [Load?] = []
    var vacant: [Int] = []
    var isClosed = false
    var whenEmpty: [UnsafeContinuation<Void, Never>] = []

    var count: Int { row.count - vacant.count }
    var loads: [Load] { row.compactMap { $0 } }
  }

  private let state = Locked(State())

  var count: Int { state.withLock { $0.count } }

  /// Adds a load; returns nil when the manager is closed.
  func add(_ load: Load) -> Slot? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      guard let index = state.vacant.popLast() else {
        state.row.append(load)
        return Slot(index: state.row.count - 1)
      }
      state.row[index] = load
      return Slot(index: index)
    }
  }

  func remove(_ slot: Slot) {
    // The load is released outside the lock, because its deinitializer may run code of plug-ins.
    let (load, waiting) = state.withLock { state -> (Load?, [UnsafeContinuation<Void, Never>]) in
      let load = state.row[slot.index]
      state.row[slot.index] = nil
      state.vacant.append(slot.index)
      guard state.count == 0 else { return (load, []) }
      if state.row.count > 1024 { (state.row, state.vacant) = ([], []) }
      defer { state.whenEmpty = [] }
      return (load, state.whenEmpty)
    }
    defer { withExtendedLifetime(load) {} }
    for continuation in waiting { continuation.resume() }
  }

  func cancelAll(where condition: (Load) -> Bool = { _ in true }) {
    let loads = state.withLock { $0.loads }
    for load in loads where condition(load) { load.cancel() }
  }

  /// Makes ``add(_:)`` refuse all further loads.
  func close() { state.withLock { $0.isClosed = true } }

  func waitUntilEmpty() async {
    await withUnsafeContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.count > 0 { state.whenEmpty.append(continuation) }
        return state.count == 0
      }
      if isEmpty { continuation.resume() }
    }
  }
}
