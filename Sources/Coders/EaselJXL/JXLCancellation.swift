import CEaselJXL
import EaselCore
import EaselSupport

/// Lets the threads of libjxl ask whether the work may go on.
final class JXLCancellation: Sendable {
  private let work: WorkContext
  private let stopped = Locked<ImageError?>(nil)

  init(_ work: WorkContext) { self.work = work }

  /// The reason why the work was stopped.
  var failure: ImageError? { stopped.withLock { $0 } }

  /// Calls `body` with a function that C can call, and its context.
  func asked<Result>(_ body: (@escaping easel_jxl_check, UnsafeMutableRawPointer) -> Result) -> Result {
    withExtendedLifetime(self) {
      body(
        { Unmanaged<JXLCancellation>.fromOpaque($0!).takeUnretainedValue().mayGoOn() },
        Unmanaged.passUnretained(self).toOpaque())
    }
  }

  private func mayGoOn() -> Bool {
    do throws(ImageError) {
      try work.checkCancellation()
      return true
    } catch {
      stopped.withLock { $0 = $0 ?? error }
      return false
    }
  }
}
