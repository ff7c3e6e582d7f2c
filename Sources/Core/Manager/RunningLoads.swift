/// The loads of a manager that have not ended.
final class RunningLoads: Sendable {
  private struct State {
    var loads: [UInt64: Load] = [:]
    var aside: [UInt64: Task<Void, Never>] = [:]
    var nextAside: UInt64 = 0
    var isClosed = false
    var whenEmpty: [UnsafeContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  var count: Int { state.withLock { $0.loads.count } }

  /// False when the manager is closed.
  func add(_ load: Load) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.loads[load.number] = load
      return true
    }
  }

  func remove(_ load: Load) {
    let waiting = state.withLock { state -> [UnsafeContinuation<Void, Never>] in
      state.loads[load.number] = nil
      guard state.loads.isEmpty else { return [] }
      defer { state.whenEmpty = [] }
      return state.whenEmpty
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Runs work that no caller waits for, as long as the manager is open.
  func addAside(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard !state.isClosed else { return }
      let number = state.nextAside
      state.nextAside += 1
      state.aside[number] = Task.detached {
        await body()
        self.state.withLock { $0.aside[number] = nil }
      }
    }
  }

  /// Waits for the work that no caller waits for.
  func drainAside() async {
    while let task = state.withLock({ $0.aside.values.first }) { await task.value }
  }

  func cancelAll(where condition: (Load) -> Bool = { _ in true }) {
    let loads = state.withLock { Array($0.loads.values) }
    for load in loads where condition(load) { load.cancel() }
  }

  func close() {
    let aside = state.withLock { state in
      state.isClosed = true
      return Array(state.aside.values)
    }
    for task in aside { task.cancel() }
  }

  func waitUntilEmpty() async {
    await withUnsafeContinuation { continuation in
      let isEmpty = state.withLock { state in
        if !state.loads.isEmpty { state.whenEmpty.append(continuation) }
        return state.loads.isEmpty
      }
      if isEmpty { continuation.resume() }
    }
  }
}
