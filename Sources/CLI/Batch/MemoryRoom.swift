import EaselCore
import EaselSupport

/// Starts work only if it fits into the memory beside the running work; work that exceeds the whole memory runs alone.
final class MemoryRoom: Sendable {
  private struct State {
    var used = 0
    /// The waiting callers, the first one first.
    var waiting: [(bytes: Int, start: Semaphore)] = []
  }

  private let bytes: Int
  private let state = Locked(State())

  init(bytes: Int) { self.bytes = bytes }

  /// Half of the memory of the machine or the container; the other half is for everything else.
  static var ofThisMachine: MemoryRoom { MemoryRoom(bytes: ControlGroupMemory.available / 2) }

  /// Runs work that takes `needed` bytes, as soon as there is room for them.
  func run<Result>(_ needed: Int, _ body: () throws -> Result) rethrows -> Result {
    let needed = min(max(0, needed), bytes)
    let start = state.withLock { state -> Semaphore? in
      if state.waiting.isEmpty, state.used + needed <= bytes {
        state.used += needed
        return nil
      }
      let start = Semaphore()
      state.waiting.append((needed, start))
      return start
    }
    start?.wait()
    defer { leave(needed) }
    return try body()
  }

  private func leave(_ needed: Int) {
    let started = state.withLock { state -> [Semaphore] in
      state.used -= needed
      var started: [Semaphore] = []
      while let first = state.waiting.first, state.used + first.bytes <= bytes {
        state.used += first.bytes
        started.append(first.start)
        state.waiting.removeFirst()
      }
      return started
    }
    for start in started { start.signal() }
  }
}
