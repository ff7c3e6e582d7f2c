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
