import CEaselCurl
import EaselCore
import EaselTestSupport

@testable import EaselCurl

/// The time of a loader, of which a test can skip any amount; the rest passes normally.
final class SkippableTime: Sendable {
  private struct State {
    /// The time that the loader must still skip.
    var waiting = Duration.zero
    /// True when the loader has skipped time and has not yet reacted.
    var isNew = false
  }

  private let state = Watched(State())

  /// Skips time; returns when the loader has reacted to it.
  func skip(_ duration: Duration) async {
    state.withLock { $0.waiting += duration }
    await state.wait { $0.waiting == .zero && !$0.isNew }
  }

  /// The waiting function of the transfer thread, which checks every few milliseconds for time to skip.
  var calls: EngineCalls {
    var calls = EngineCalls()
    calls.run = { [state] loop, milliseconds in
      let isSkipped = state.withLock { state in
        easel_loop_skip(loop, Int64(state.waiting.milliseconds))
        state.isNew = state.waiting > .zero
        state.waiting = .zero
        return state.isNew
      }
      // No event may arrive between the skipped time and the check for timeouts.
      return easel_loop_run(loop, isSkipped ? 0 : milliseconds < 0 ? 5 : min(milliseconds, 5))
    }
    return calls
  }
}
