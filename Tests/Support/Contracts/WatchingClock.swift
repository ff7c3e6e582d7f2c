import EaselCore
import EaselSupport
import FoundationEssentials

/// A clock that counts how often work reads it, and cancels the work at a given read.
///
/// Work reads the clock each time it checks for cancellation, so this cancels it in the middle, at the same place each
/// time.
final class WatchingClock: ImageClock {
  private let base = SystemClock()
  private let looks = Locked(0)
  private let last: Int
  private let cancellation = Cancellation()

  /// Creates a clock that cancels at the read of this number, counted from 1; 0 cancels before the first.
  init(cancellingAtLook last: Int = .max) {
    self.last = last
    if last <= 0 { cancellation.cancel() }
  }

  /// The watched work.
  func work(limits: Limits = Limits(), context: ImageContext = ImageContext()) -> WorkContext {
    WorkContext(limits: limits, context: context, cancellation: cancellation, clock: self)
  }

  /// The number of reads so far.
  var count: Int { looks.withLock { $0 } }

  var date: Date { base.date }

  var uptime: Duration {
    let isLast = looks.withLock { looks in
      looks += 1
      return looks == last
    }
    if isLast { cancellation.cancel() }
    return base.uptime
  }

  func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }

  func block(for duration: Duration) { base.block(for: duration) }

  /// Describes the error of work that is cancelled in the middle; nil if it ends with `cancelled` at each place.
  ///
  /// `body` runs once undisturbed, and is then cancelled at several of the places where it read the clock. Work on
  /// several threads may read it less often the next time; a run that ends before it could see that it was cancelled
  /// has no fault.
  static func fault(cancelling body: (WorkContext) throws -> Void) -> String? {
    let whole = WatchingClock()
    do { try body(whole.work()) } catch { return nil }
    let places = whole.count
    for step in 0...8 {
      let place = step * max(0, places - 1) / 8
      let clock = WatchingClock(cancellingAtLook: place)
      do {
        try body(clock.work())
        guard place == 0 || clock.count > place else { continue }
        return "went on to its end after it was given up at place \(place) of the \(places) where it asked"
      } catch {
        guard isCancellation(error) else { return "ended with \(error) when it was given up" }
      }
    }
    return nil
  }

  /// True when an error reports a cancellation.
  static func isCancellation(_ error: any Error) -> Bool {
    (error as? ImageError)?.isCancellation ?? (error is CancellationError)
  }
}
