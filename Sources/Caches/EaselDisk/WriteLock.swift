import EaselCore
import EaselSupport

/// Lets one thread at a time write, in the order of arrival; each thread limits its own wait.
final class WriteLock: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [Semaphore] = []
  }

  private let state = Locked(State())

  /// Takes the turn if no thread has it; returns true on success.
  func takeIfFree() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Waits for the turn, for the given number of milliseconds at most; returns true on success.
  func take(withinMilliseconds limit: Int) -> Bool {
    let signal: Semaphore? = state.withLock { state in
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      let signal = Semaphore()
      state.waiting.append(signal)
      return signal
    }
    guard let signal else { return true }
    let came = signal.wait(milliseconds: limit)
    return state.withLock { state in
      guard !came, let place = state.waiting.firstIndex(where: { $0 === signal }) else { return true }
      state.waiting.remove(at: place)
      return false
    }
  }

  /// Passes the turn to the next waiting thread.
  func pass() {
    let next: Semaphore? = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isTaken = false
      return nil
    }
    next?.signal()
  }
}
