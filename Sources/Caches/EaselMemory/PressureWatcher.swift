import EaselCore
import EaselSupport
import Synchronization

/// Waits for memory pressure on a plain thread that starts on first use.
final class PressureWatcher: Sendable {
  private let makeSource: @Sendable () -> (any PressureSource)?
  private let hasStarted = Atomic(false)
  private let source = Locked<(any PressureSource)?>(nil)

  init(makeSource: @escaping @Sendable () -> (any PressureSource)?) {
    self.makeSource = makeSource
  }

  deinit { source.withLock { $0 }?.stop() }

  var isStarted: Bool { hasStarted.load(ordering: .relaxed) }

  /// Starts watching, unless this has already happened; `react` runs on the watching thread.
  func start(_ react: @escaping @Sendable (PressureLevel) -> Void) {
    guard hasStarted.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged,
      let source = makeSource()
    else { return }
    self.source.withLock { $0 = source }
    PlainThread.start {
      while let level = source.next() { react(level) }
    }
  }
}
