import EaselCore
import EaselSupport
import FoundationEssentials

/// A clock that moves with the frames of the screen, and only while its widget is on it.
///
/// What waits for it therefore pauses when the widget is hidden, and goes on where it was.
final class FrameClock: ImageClock {
  private struct Sleeper {
    let deadline: Duration
    let continuation: UnsafeContinuation<Void, Never>
  }

  private struct State {
    var uptime = Duration.zero
    /// The time of the last frame by the clock of the screen; nil after a pause.
    var lastFrame: Duration?
    var lastID: UInt64 = 0
    var sleepers: [UInt64: Sleeper] = [:]
    /// Those that were cancelled before they slept.
    var cancelled: Set<UInt64> = []

    mutating func takeDue() -> [Sleeper] {
      let due = sleepers.filter { $0.value.deadline <= uptime }
      for id in due.keys { sleepers[id] = nil }
      return Array(due.values)
    }
  }

  private let state = Locked(State())

  var date: Date { Date() }
  var uptime: Duration { state.withLock { $0.uptime } }

  /// The number of those who wait for it.
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Moves to the time of a frame, and wakes those whose time has come.
  func move(to frame: Duration) {
    let due = state.withLock { state in
      if let last = state.lastFrame { state.uptime += max(.zero, frame - last) }
      state.lastFrame = frame
      return state.takeDue()
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Stands still until the next frame, whenever it comes.
  func pause() { state.withLock { $0.lastFrame = nil } }

  func sleep(for duration: Duration) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isOver = state.withLock { state in
          guard state.cancelled.remove(id) == nil, duration > .zero else { return true }
          state.sleepers[id] = Sleeper(deadline: state.uptime + duration.bounded, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper
      }
      sleeper?.continuation.resume()
    }
    _ = state.withLock { $0.cancelled.remove(id) }
    try Task.checkCancellation()
  }

  func block(for duration: Duration) { SystemClock().block(for: duration) }
}
