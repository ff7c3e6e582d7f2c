import EaselCore
import EaselSupport

/// Work that comes in pieces.
protocol WebPQueuedWork: SendableMetatype {
  /// Does all queued work.
  mutating func finish()
}

/// Does queued work on a second thread while libwebp decodes the next piece.
///
/// The thread works under the lock, so a caller of ``settle(_:)`` either waits for the thread or does the work itself.
final class WebPSecondThread<Work: WebPQueuedWork> {
  private struct State {
    var work: Work
    var isOver = false
  }

  private let state: Locked<State>
  private let hasMore = Semaphore()

  /// If `isStarted` is false, ``settle(_:)`` does all the work.
  init(for work: sending Work, isStarted: Bool) {
    state = Locked(State(work: work))
    guard isStarted else { return }
    PlainThread.start { [state, hasMore] in
      repeat {
        hasMore.wait()
      } while state.withLock { state in
        state.work.finish()
        return !state.isOver
      }
    }
  }

  deinit {
    state.withLock { $0.isOver = true }
    hasMore.signal()
  }

  /// Queues more work.
  func queue(_ change: (inout Work) -> Void) {
    state.withLock { change(&$0.work) }
    hasMore.signal()
  }

  /// Returns a part of the result once all queued work is done.
  func settle<Part>(_ part: (Work) -> Part) -> Part {
    state.withLock { state in
      state.work.finish()
      return part(state.work)
    }
  }
}
