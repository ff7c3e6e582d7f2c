import EaselCore

/// Lets what threads finish in any order come out in the order of the inputs.
final class OrderedLines: Sendable {
  private struct State {
    var next = 0
    var waiting: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())
  // Printing happens outside of the lock of the table, one at a time all the same.
  private let printing = Locked(())

  /// Runs `body` once everything of a lower index has been run.
  func add(_ index: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.waiting[index] = body }
    printing.withLock { _ in
      while let body = state.withLock({ state in
        let body = state.waiting.removeValue(forKey: state.next)
        if body != nil { state.next += 1 }
        return body
      }) { body() }
    }
  }
}
