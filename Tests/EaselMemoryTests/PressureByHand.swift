import EaselCore
import EaselMemory
import EaselSupport

/// A source of memory pressure that a test controls.
final class PressureByHand: PressureSource {
  private struct State {
    var levels: [PressureLevel] = []
    var isStopped = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())
  private let wakeUps = Semaphore()

  var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Sends a level; returns when the watcher has reacted and waits again.
  func send(_ level: PressureLevel) async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.levels.append(level)
        state.waiter = continuation
      }
      wakeUps.signal()
    }
  }

  func next() -> PressureLevel? {
    while true {
      let (level, isStopped, waiter) = state.withLock {
        state -> (PressureLevel?, Bool, CheckedContinuation<Void, Never>?) in
        if !state.levels.isEmpty { return (state.levels.removeFirst(), false, nil) }
        defer { state.waiter = nil }
        return (nil, state.isStopped, state.waiter)
      }
      waiter?.resume()
      if let level { return level }
      if isStopped { return nil }
      wakeUps.wait()
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    wakeUps.signal()
  }
}
