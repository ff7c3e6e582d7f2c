import EaselCore
import EaselSupport

/// Lets as much work begin as fits into the memory together; work that is too large for all of it runs alone.
final class MemoryRoom: Sendable {
  private struct State {
    var used = 0
    /// Those that wait, the first one first.
    var waiting: [(bytes: Int, start: Semaphore)] = []
  }

  private let bytes: Int
  private let state = Locked(State())

  init(bytes: Int) { self.bytes = bytes }

  /// Half of what the machine or the container has; the other half is for all else.
  static var ofThisMachine: MemoryRoom { MemoryRoom(bytes: ControlGroupMemory.available / 2) }

  /// Runs work that takes so many bytes, as soon as there is room for them.
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
