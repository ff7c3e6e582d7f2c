import CEaselCurl
import EaselCore
import EaselTestSupport

@testable import EaselCurl

/// The time of a loader, of which a test skips as much as it wants; what is not skipped passes as anywhere.
final class SkippableTime: Sendable {
  private let waiting = Watched(Duration.zero)

  /// Lets time pass, and returns once the loader has seen it.
  func skip(_ duration: Duration) async {
    waiting.withLock { $0 += duration }
    await waiting.wait { $0 == .zero }
  }

  /// What the thread of transfers waits with, which looks every few milliseconds whether there is time to skip.
  var calls: LoopCalls {
    var calls = LoopCalls()
    calls.run = { [waiting] loop, patience in
      waiting.withLock { waiting in
        easel_loop_skip(loop, Int64(waiting.milliseconds))
        waiting = .zero
      }
      return easel_loop_run(loop, patience < 0 ? 5 : min(patience, 5))
    }
    return calls
  }
}
