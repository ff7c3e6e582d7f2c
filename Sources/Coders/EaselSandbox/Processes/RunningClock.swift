import CEaselSandbox
import Glibc

/// Measures how long a process takes, without the time in which it waited for a processor.
///
/// On a machine with too much to do a process is not slow by its own fault.
struct RunningClock: Sendable {
  private let process: pid_t
  private let start = ContinuousClock.now
  private let before: UInt64

  /// Starts to measure.
  init(of process: pid_t) {
    self.process = process
    before = easel_sandbox_waited_time(process)
  }

  /// The time since the start, as the wall clock has it.
  var wholeTime: Duration { ContinuousClock.now - start }

  /// The time in which the process waited for a processor.
  var waitedTime: Duration {
    .nanoseconds(Int64(clamping: easel_sandbox_waited_time(process)) - Int64(clamping: before))
  }

  /// True when the process has had so much time, or has existed ten times as long.
  func isOver(_ patience: Duration) -> Bool {
    let whole = wholeTime
    return whole > patience && (whole - waitedTime > patience || whole > patience * Self.most)
  }

  /// True when it is over, and would not be if the process had not waited for a processor.
  func wasKeptWaiting(_ patience: Duration) -> Bool { wholeTime - waitedTime <= patience }

  private static let most = 10
}
