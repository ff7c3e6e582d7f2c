/// Makes sequences whose reader fetches each element when it wants it, so that nothing is kept for one that is slow but
/// what its source keeps anyway.
enum PulledStream {
  /// The answer of the source to a reader.
  enum Next<Element: Sendable>: Sendable {
    case element(Element)
    case nothingYet
    case end
  }

  /// Makes a sequence of what `next` returns; it is asked again after each ring of the bell.
  static func make<Element: Sendable>(
    _ bell: Bell, _ next: @escaping @Sendable () -> Next<Element>
  ) -> AsyncStream<Element> {
    AsyncStream {
      while true {
        switch next() {
        case .element(let element): return element
        case .end: return nil
        case .nothingYet: await bell.wait()
        }
        if Task.isCancelled { return nil }
      }
    } onCancel: {
      bell.ring()
    }
  }
}

/// Wakes those who wait for something to happen; a ring that nobody hears wakes the next who comes.
final class Bell: Sendable {
  private struct State {
    var isRung = false
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  func ring() {
    let waiting = state.withLock { state in
      state.isRung = state.waiting.isEmpty
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits for the next ring, or returns at once after one that nobody heard.
  func wait() async {
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
