import CEaselBenchSupport
import EaselBenchmarkHarness

extension AllocationCounter {
  /// A counter that replaces malloc; nil in a build that cannot do so.
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
