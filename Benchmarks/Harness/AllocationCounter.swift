/// Counts the allocations of the whole process.
package struct AllocationCounter: Sendable {
  package struct Count: Equatable, Sendable {
    package var allocations: Int
    package var bytes: Int

    package init(allocations: Int, bytes: Int) {
      self.allocations = allocations
      self.bytes = bytes
    }
  }

  let start: @Sendable () -> Void
  let stop: @Sendable () -> Count

  package init(start: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Count) {
    self.start = start
    self.stop = stop
  }

  package func count(during body: () async throws -> Void) async rethrows -> Count {
    start()
    do {
      try await body()
    } catch {
      _ = stop()
      throw error
    }
    return stop()
  }
}
