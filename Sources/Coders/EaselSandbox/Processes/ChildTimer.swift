import CEaselSandbox
import Glibc

/// Watches how a child uses its time.
struct ChildTimer {
  private let process: pid_t
  private var usedBefore: UInt64 = 0
  /// The waiting time at the last look; nil before the first look.
  private var waitedBefore: UInt64?
  private var givesWay = false

  init(process: pid_t) { self.process = process }

  /// Begins to count for a question.
  mutating func begin() {
    usedBefore = easel_sandbox_used_time(process)
    waitedBefore = nil
  }

  /// Lets other processes go before a child that has computed for long.
  ///
  /// Most pictures are done long before; whoever has one of them must not wait for the few others.
  mutating func giveWay(after used: Duration) {
    guard !givesWay, used > Self.mostUrgent else { return }
    givesWay = true
    easel_sandbox_give_way(process)
  }

  private static let mostUrgent = Duration.milliseconds(400)

  /// The processor time of all threads since the beginning, and their waiting time for a processor since the last look.
  mutating func look() -> (used: Duration, waited: Duration) {
    let (used, waited) = (easel_sandbox_used_time(process), easel_sandbox_waited_time(process))
    defer { waitedBefore = waited }
    return (Self.difference(used, usedBefore), Self.difference(waited, waitedBefore ?? waited))
  }

  /// The difference, at least zero: the numbers of a thread vanish when it ends.
  private static func difference(_ now: UInt64, _ before: UInt64) -> Duration {
    .nanoseconds(now > before ? Int64(clamping: now - before) : 0)
  }
}
