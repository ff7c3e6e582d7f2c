import EaselTestSupport

@testable import EaselCore

extension WorkerSet {
  /// Threads of a test's own, which go by a clock that stands still.
  ///
  /// A test that stops one keeps no other test from its threads, and on a busy machine no call that a test holds up is
  /// taken for one that hangs.
  static func patient(threads: Int = 4) -> WorkerSet { WorkerSet(threads: threads, clock: ManualClock()) }
}

extension FrameBudget {
  /// A budget whose frames are made on threads of the test's own.
  static func patient(byteLimit: Int) -> FrameBudget { FrameBudget(byteLimit: byteLimit, workers: .patient()) }
}
