import EaselTestSupport

@testable import EaselCore

extension WorkerSet {
  /// Threads for one test, with a clock that stands still.
  ///
  /// A test that blocks these threads takes none from other tests, and on a busy machine no blocked call is taken for a
  /// hanging one.
  static func patient(threads: Int = 4) -> WorkerSet { WorkerSet(threads: threads, clock: ManualClock()) }
}

extension ImagePlayer.FrameBudget {
  /// A budget whose frames are made on the test's own threads.
  static func patient(byteLimit: Int) -> ImagePlayer.FrameBudget {
    ImagePlayer.FrameBudget(byteLimit: byteLimit, workers: .patient())
  }
}
