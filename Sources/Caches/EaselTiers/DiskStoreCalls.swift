import EaselCore
import EaselWorkers

/// Calls a disk store on worker threads, each call for a limited time.
///
/// If the store hangs, a load loses the time limit of one call, and the process loses a thread. While several calls
/// hang, the store is not called again.
package final class DiskStoreCalls: Sendable {
  /// The longest time to find an entry, while a load waits.
  static let readTime = Duration.seconds(5)
  /// The longest time to store, renew, remove or count entries.
  static let writeTime = Duration.seconds(30)
  /// The longest time to remove or examine all entries.
  package static let tidyTime = Duration.seconds(300)
  private static let mostHanging = 2

  private let workers: WorkerSet
  // Writes may wait for writes of other processes. They have their own threads, so that they never delay reads.
  private let writers: WorkerSet
  private let hanging = OverdueCalls()

  package init(workers: WorkerSet, writers: WorkerSet) {
    self.workers = workers
    self.writers = writers
  }

  /// The number of calls that are overdue and have not yet returned.
  var hangingCount: Int { hanging.count }

  /// Calls a store.
  ///
  /// If the call returns too late, `undo` is called, because newer calls may have run in between.
  package func run<Value: Sendable>(
    _ key: CacheKey? = nil, within limit: Duration, changes: Bool = false,
    undo: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try passOverIfHanging(key)
    let call = OverdueCalls.Call(of: hanging)
    let workers = changes ? writers : workers
    let terms = JobTerms(WorkTime(limit, clock: workers.clock), noteLate: call.noteLate) {
      ImageError(
        .cacheFailed,
        "The disk store did not answer within \(limit). The load goes on without it. Check what keeps its disk busy.",
        subject: key?.readable)
    }
    do {
      return try await workers.run(terms) {
        // Other calls may have begun to hang while this one waited for a thread.
        try self.passOverIfHanging(key)
        defer { if call.hasReturned() { undo() } }
        return try body()
      }
    } catch {
      throw ImageError.wrapping(
        error, as: .cacheFailed, "The disk store failed. Loads go on without it.", subject: key?.readable)
    }
  }

  private func passOverIfHanging(_ key: CacheKey?) throws(ImageError) {
    let count = hanging.count
    guard count >= Self.mostHanging else { return }
    throw ImageError(
      .cacheFailed,
      "The disk store is not called, because \(count) of its calls hang. It is called again when they have returned.",
      subject: key?.readable)
  }
}
