import EaselCore
import EaselSupport

/// Lets C code, on any of its threads, ask whether the work may go on.
package final class CancellationCheck: Sendable {
  /// Returns false once the work must end.
  package typealias Function = @convention(c) (_ context: UnsafeMutableRawPointer?) -> Bool

  private let work: WorkContext
  private let stopped = Locked<ImageError?>(nil)

  package init(_ work: WorkContext) { self.work = work }

  /// The reason why the work was stopped.
  package var failure: ImageError? { stopped.withLock { $0 } }

  /// Calls `body` with a function that C can call, and its context.
  package func asked<Result>(_ body: (@escaping Function, UnsafeMutableRawPointer) -> Result) -> Result {
    withExtendedLifetime(self) {
      body(
        { Unmanaged<CancellationCheck>.fromOpaque($0!).takeUnretainedValue().mayGoOn() },
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
