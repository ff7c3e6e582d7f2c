import EaselCore
import EaselManager
import EaselSupport

/// A piece of work that waits until somebody decides about it.
///
/// Unchecked because it is used only under the lock of whoever decides.
class WaitingWork<Outcome>: @unchecked Sendable {
  var outcome: Outcome?
  var continuation: UnsafeContinuation<Void, Never>?
}

extension Locked {
  /// Suspends the task until there is a decision about its work, which is used under this lock.
  ///
  /// If the task is cancelled, `onCancel` runs and must lead to a decision.
  func untilDecided<Outcome>(_ work: WaitingWork<Outcome>, onCancel: @Sendable () -> Void) async {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let isDecided = withLock { _ in
          guard work.outcome == nil else { return true }
          work.continuation = continuation
          return false
        }
        if isDecided { continuation.resume() }
      }
    } onCancel: {
      onCancel()
    }
  }
}
