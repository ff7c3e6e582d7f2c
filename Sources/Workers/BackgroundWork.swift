import EaselSupport

/// Work that no caller waits for.
package final class BackgroundWork: Sendable {
  private struct State {
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var nextNumber: UInt64 = 0
    var isClosed = false
  }

  private let state = Locked(State())

  package init() {}

  /// Runs work, unless ``close()`` was called.
  package func run(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      guard !state.isClosed else { return }
      let number = state.nextNumber
      state.nextNumber += 1
      state.tasks[number] = Task(priority: .medium) {
        await body()
        self.state.withLock { $0.tasks[number] = nil }
      }
    }
  }

  /// Waits until all work is done.
  package func wait() async {
    while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
  }

  package func cancelAll() {
    for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
  }

  /// Makes ``run(_:)`` ignore all further work.
  package func close() { state.withLock { $0.isClosed = true } }
}
