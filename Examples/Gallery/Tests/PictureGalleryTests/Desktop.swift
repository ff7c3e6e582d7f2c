import EaselGTK
import Foundation
import Synchronization
import Testing

/// GTK on a thread of its own, for all tests of this process.
enum Desktop {
  static let isMissing: Comment = "There is no display: run the tests with xvfb-run."

  /// True once GTK runs.
  static let isReady: Bool = {
    guard ProcessInfo.processInfo.environment["DISPLAY"] != nil else { return false }
    let begun = DispatchSemaphore(value: 0)
    let hasBegun = Flag()
    Thread.detachNewThread {
      try? GTKActor.run {
        hasBegun.raise()
        begun.signal()
      }
      begun.signal()
    }
    begun.wait()
    return hasBegun.isRaised
  }()

  private final class Flag: Sendable {
    private let state = Mutex(false)
    var isRaised: Bool { state.withLock { $0 } }
    func raise() { state.withLock { $0 = true } }
  }
}
