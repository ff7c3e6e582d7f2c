/// Makes sequences whose reader pulls each element, so that a slow reader needs no buffer besides what the source
/// keeps.
package enum UnbufferedStream {
  /// The answer of a source to its reader.
  package enum Next<Element: Sendable>: Sendable {
    case element(Element)
    case nothingYet
    case end
  }

  /// Makes a sequence of the elements that `next` returns; after each wake-up it calls `next` again.
  package static func make<Element: Sendable>(
    _ signal: WakeSignal, _ next: @escaping @Sendable () -> Next<Element>
  ) -> AsyncStream<Element> {
    AsyncStream {
      while true {
        switch next() {
        case .element(let element): return element
        case .end: return nil
        case .nothingYet: await signal.wait()
        }
        if Task.isCancelled { return nil }
      }
    } onCancel: {
      signal.wake()
    }
  }
}

/// Wakes waiting tasks.
///
/// If no task waits, the signal wakes the next task that waits.
package final class WakeSignal: Sendable {
  private struct State {
    var isRung = false
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  package init() {}

  package func wake() {
    let waiting = state.withLock { state in
      state.isRung = state.waiting.isEmpty
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits for the next signal.
  ///
  /// Returns immediately if the signal came while no task waited.
  package func wait() async {
    await withUnsafeContinuation { continuation in
      let isRung = state.withLock { state in
        if !state.isRung { state.waiting.append(continuation) }
        defer { state.isRung = false }
        return state.isRung
      }
      if isRung { continuation.resume() }
    }
  }
}
