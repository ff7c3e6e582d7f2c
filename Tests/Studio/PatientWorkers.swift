import EaselTestSupport
import EaselWorkers

extension WorkerSet {
  /// Threads for one test, with a clock that stands still.
  ///
  /// A test that blocks these threads takes none from other tests, and on a busy machine no blocked call is taken for a
  /// hanging one.
  package static func patient(threads: Int = 4) -> WorkerSet { WorkerSet(threads: threads, clock: ManualClock()) }
}
