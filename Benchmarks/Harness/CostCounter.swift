/// Counts what the whole process takes from the system's allocator, and which locks it takes.
package struct CostCounter: Sendable {
  package struct Count: Equatable, Sendable {
    package var allocations: Int
    package var bytes: Int
    /// How often a mutex was taken.
    package var locks: Int
    /// How many of these were taken again and again, and so by whoever does the same on another processor.
    package var commonLocks: Int
    /// How often the busiest lock was taken, at which more processors meet first.
    package var busiestLock: Int

    package init(allocations: Int, bytes: Int, locks: Int = 0, commonLocks: Int = 0, busiestLock: Int = 0) {
      self.allocations = allocations
      self.bytes = bytes
      self.locks = locks
      self.commonLocks = commonLocks
      self.busiestLock = busiestLock
    }
  }

  let start: @Sendable () -> Void
  let stop: @Sendable (_ repetitions: Int) -> Count

  package init(start: @escaping @Sendable () -> Void, stop: @escaping @Sendable (_ repetitions: Int) -> Count) {
    self.start = start
    self.stop = stop
  }

  /// Counts the cost of a body that does the same this many times.
  package func count(of repetitions: Int = 1, during body: () async throws -> Void) async rethrows -> Count {
    start()
    do {
      try await body()
    } catch {
      _ = stop(repetitions)
      throw error
    }
    return stop(repetitions)
  }
}
