import EaselCore
import EaselSupport

/// Prints results in the order of the inputs, although threads finish in any order.
final class OrderedLines: Sendable {
  private struct State {
    var next = 0
    var waiting: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())
  // The separate lock lets one thread print at a time without holding the lock of the state.
  private let printing = Locked(())

  /// Runs `body` once the bodies of all lower indices have run.
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
