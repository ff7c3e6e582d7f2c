import CEaselSandbox
import Glibc

/// Measures the time that a process takes, without the time in which it waited for a processor.
///
/// On an overloaded machine, a slow process is not to blame.
struct RunningClock: Sendable {
  private let process: pid_t
  private let start = ContinuousClock.now
  private let before: UInt64

  /// Starts to measure.
  init(of process: pid_t) {
    self.process = process
    before = easel_sandbox_waited_time(process)
  }

  /// The wall-clock time since the start.
  var wholeTime: Duration { ContinuousClock.now - start }

  /// The time in which the process waited for a processor.
  var waitedTime: Duration {
    .nanoseconds(Int64(clamping: easel_sandbox_waited_time(process)) - Int64(clamping: before))
  }

  /// True if the process has had the time `patience`, or has existed ten times as long.
  func isOver(_ patience: Duration) -> Bool {
    let whole = wholeTime
    return whole > patience && (whole - waitedTime > patience || whole > patience * Self.most)
  }

  /// True if the time is over, but would not be over without the waiting for a processor.
  func wasKeptWaiting(_ patience: Duration) -> Bool { wholeTime - waitedTime <= patience }

  private static let most = 10
}
