import CEaselBenchSupport
import EaselBenchmarkHarness

extension AllocationCounter {
  /// A counter that sits in front of malloc; nil in a build where none can.
  static let malloc: AllocationCounter? =
    easel_bench_counts_allocations()
    ? AllocationCounter(
      start: { easel_bench_start_counting() },
      stop: {
        let counted = easel_bench_stop_counting()
        return Count(allocations: Int(counted.count), bytes: Int(counted.bytes))
      }
    ) : nil
}
