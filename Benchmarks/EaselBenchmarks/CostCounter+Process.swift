import CEaselBenchSupport
import EaselBenchmarkHarness

extension CostCounter {
  /// A counter that replaces functions of libc; nil in a build that cannot do so.
  static let process: CostCounter? =
    easel_bench_can_count()
    ? CostCounter(
      start: { easel_bench_start_counting() },
      stop: { repetitions in
        let counted = easel_bench_stop_counting(Int64(repetitions))
        return Count(
          allocations: Int(counted.allocations), bytes: Int(counted.bytes), locks: Int(counted.locks),
          commonLocks: Int(counted.common_locks), busiestLock: Int(counted.most_of_one_lock))
      }
    ) : nil
}
