import CEaselCurl
import EaselCore
import EaselTestSupport

@testable import EaselCurl

/// The time of a loader, of which a test skips as much as it wants; what is not skipped passes as anywhere.
final class SkippableTime: Sendable {
  private struct State {
    /// What the loader has still to skip.
    var waiting = Duration.zero
    /// Whether it has skipped time and not yet looked at what that means.
    var isNew = false
  }

  private let state = Watched(State())

  /// Lets time pass, and returns once the loader has done what it does when so much time has passed.
  func skip(_ duration: Duration) async {
    state.withLock { $0.waiting += duration }
    await state.wait { $0.waiting == .zero && !$0.isNew }
  }

  /// What the thread of transfers waits with, which looks every few milliseconds whether there is time to skip.
  var calls: LoopCalls {
    var calls = LoopCalls()
    calls.run = { [state] loop, patience in
      let isSkipped = state.withLock { state in
        easel_loop_skip(loop, Int64(state.waiting.milliseconds))
        state.isNew = state.waiting > .zero
        state.waiting = .zero
        return state.isNew
      }
      // Nothing may arrive between the skipped time and the look at it.
      return easel_loop_run(loop, isSkipped ? 0 : patience < 0 ? 5 : min(patience, 5))
    }
    return calls
  }
}
