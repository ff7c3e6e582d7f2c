/// Calls of a disk store, each on a worker thread and for a bounded time.
///
/// A store that hangs costs a load the time of one call and a thread. One that hangs in several calls is not called
/// any more until they have returned.
final class DiskCalls: Sendable {
  /// How long a store may take to find an entry; a load waits for it.
  static let readTime = Duration.seconds(5)
  /// How long it may take to keep, renew, forget or count entries.
  static let writeTime = Duration.seconds(30)
  /// How long it may take to forget or look through all of them.
  static let tidyTime = Duration.seconds(300)
  private static let mostHanging = 2

  private let workers: WorkerSet
  // Changes wait for those of other processes; with threads of their own they never keep a read from its own.
  private let writers: WorkerSet
  private let hanging = HangingCalls()

  init(workers: WorkerSet, writers: WorkerSet) {
    self.workers = workers
    self.writers = writers
  }

  /// The number of calls that did not return in time and have not done so since.
  var hangingCount: Int { hanging.count }

  /// Calls a store; `undo` is called after a call that returned too late, when others may have come in between.
  func run<Value: Sendable>(
    _ key: CacheKey? = nil, within limit: Duration, changes: Bool = false,
    undo: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try passOverIfHanging(key)
    let call = HangingCalls.Call(of: hanging)
    let workers = changes ? writers : workers
    let terms = JobTerms(WorkTime(limit, clock: workers.clock)) {
      call.isLate()
      return ImageError(
        .cacheFailed,
        "The disk store did not answer within \(limit). The load goes on without it; see what keeps its disk busy.",
        subject: key?.readable)
    }
    do {
      return try await workers.run(terms) {
        // Others may have come to hang while this one waited for its thread.
        try self.passOverIfHanging(key)
        defer { if call.hasReturned() { undo() } }
        return try body()
      }
    } catch {
      throw ImageError.wrapping(
        error, as: .cacheFailed, "The disk store failed; the picture itself is not harmed.", subject: key?.readable)
    }
  }

  private func passOverIfHanging(_ key: CacheKey?) throws(ImageError) {
    let count = hanging.count
    guard count >= Self.mostHanging else { return }
    throw ImageError(
      .cacheFailed,
      "The disk store is passed over: \(count) calls of it hang. It is used again when they have returned.",
      subject: key?.readable)
  }
}
