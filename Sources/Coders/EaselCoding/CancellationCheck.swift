import EaselCore
import EaselSupport

/// Lets C code ask, on any of its threads, if the work may continue.
package final class CancellationCheck: Sendable {
  /// Returns false as soon as the work must end.
  package typealias Function = @convention(c) (_ context: UnsafeMutableRawPointer?) -> Bool

  private let work: WorkContext
  private let stopped = Locked<ImageError?>(nil)

  package init(_ work: WorkContext) { self.work = work }

  /// The error that stopped the work, nil if nothing stopped it.
  package var failure: ImageError? { stopped.withLock { $0 } }

  /// Calls `body` with a function that C can call, and with the context of the function.
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
