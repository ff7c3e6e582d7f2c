import EaselTestSupport

@testable import EaselDisplay

/// Watches a player in its own task and records the frames shown and their times.
final class Watch: Sendable {
  private struct State {
    var frames: [Int] = []
    var times: [Duration] = []
    var isOver = false
  }

  private let state: Watched<State>
  private let clock: ManualClock
  private let task: Task<Void, any Error>

  init(_ player: ImagePlayer, _ clock: ManualClock) {
    let state = Watched(State())
    self.state = state
    self.clock = clock
    task = Task {
      defer { state.withLock { $0.isOver = true } }
      for try await frame in player {
        state.withLock { state in
          state.frames.append(FakeFrameSource.index(of: frame.bitmap))
          state.times.append(clock.uptime)
        }
      }
    }
  }

  var frames: [Int] { state.withLock { $0.frames } }
  var times: [Duration] { state.withLock { $0.times } }

  func wait(frames: [Int]) async { await state.wait { $0.frames == frames || $0.isOver } }

  /// Suspends until the player waits for the clock; returns false when the player has ended.
  func hasMore() async -> Bool {
    while !state.withLock({ $0.isOver }) {
      if clock.sleeperCount > 0 { return true }
      await Task.yield()
    }
    return false
  }

  /// Suspends until nothing waits for the clock.
  func waitForRest() async {
    while clock.sleeperCount > 0 { await Task.yield() }
  }

  /// Suspends until a sleep of exactly this duration waits for the clock.
  func waitForSleep(of duration: Duration) async {
    while clock.remainingSleeps != [duration] { await Task.yield() }
  }

  func cancel() { task.cancel() }

  func end() async throws { try await task.value }
}
