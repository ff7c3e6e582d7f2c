/// A bounded set of plain threads for work that blocks or computes for long, which the cooperative pool must never do.
///
/// Threads start when there is work for them and stay. A job that states its terms and does not end in its time costs a
/// thread, which is replaced, and never its caller's patience.
package final class WorkerSet: Sendable {
  /// Decoding, encoding and transforming: as many threads as processors, since more only take memory from each other.
  package static let pixels = WorkerSet(threads: CPUBudget.processors)
  /// Waiting for disks, where a few more threads than processors keep the disk busy.
  package static let files = WorkerSet(threads: max(4, CPUBudget.processors))
  /// Changing what lies on disks: these wait for each other and for other processes, which no reading may.
  package static let fileWrites = WorkerSet(threads: 4)

  /// The clock that jobs are timed by.
  package let clock: any ImageClock

  private let threads: WorkerThreads

  /// Creates a set; `start` starts a thread, or says that the system does not allow it.
  package init(
    threads: Int, order: WorkOrder = .firstInFirstOut, clock: any ImageClock = SystemClock(),
    start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = { PlainThread.start($0) }
  ) {
    self.clock = clock
    self.threads = WorkerThreads(atMost: max(1, threads), order, clock: clock, start: start)
  }

  deinit { threads.close() }

  /// The number of jobs that wait for a thread.
  package var waitingCount: Int { threads.waitingCount }

  /// The number of threads that did not come back from their jobs in time and have not done so since.
  package var lostCount: Int { threads.lostCount }

  /// Runs `body` on one of the threads.
  ///
  /// The job's place in the queue follows `priority`. When the task is cancelled before a thread took the job, the job
  /// never runs; afterwards it runs to its end, and what it should give up for must be told to it in another way. A job
  /// with `terms` that does not end in its time fails with the error that they make, and its result is dropped.
  package func run<Value: Sendable>(
    at priority: LivePriority = LivePriority(), _ terms: JobTerms? = nil,
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let ticket = Ticket<Value>()
    return try await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let job = WorkQueue.Job(terms) { failure in
          ticket.resume(with: failure.map { .failure($0) } ?? Result(catching: body))
        }
        guard ticket.start(job, continuation) else { return continuation.resume() }
        threads.add(job, at: priority)
        if ticket.isCancelled { withdraw(ticket) }
      }
      return try ticket.takeResult()
    } onCancel: {
      ticket.cancel()
      withdraw(ticket)
    }
  }

  /// Runs `body` on one of the threads, some time.
  ///
  /// `onFailure` is called instead when it never comes to that, and beside it when the work does not end in its time.
  package func start(
    at priority: LivePriority, _ terms: JobTerms? = nil,
    onFailure: @escaping @Sendable (ImageError) -> Void = { _ in }, _ body: @escaping @Sendable () -> Void
  ) {
    let job = WorkQueue.Job(terms) { failure in
      if let failure { onFailure(failure) } else { body() }
    }
    threads.add(job, at: priority)
  }

  private func withdraw<Value>(_ ticket: Ticket<Value>) {
    guard let job = ticket.job, threads.remove(job) else { return }
    ticket.resume(with: .failure(CancellationError()))
  }

  /// Resumes a caller exactly once, whoever comes first: the thread that did the work, the one that withdrew it, or the
  /// watch.
  private final class Ticket<Value: Sendable>: Sendable {
    private struct State {
      var job: WorkQueue.Job?
      var continuation: UnsafeContinuation<Void, Never>?
      // Handed over under the lock and not by the continuation, which ThreadSanitizer does not see.
      var result: Result<Value, any Error>?
      var isCancelled = false
    }

    private let state = Locked(State())

    var job: WorkQueue.Job? { state.withLock { $0.job } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// False when the caller gave up before there was a job.
    func start(_ job: WorkQueue.Job, _ continuation: UnsafeContinuation<Void, Never>) -> Bool {
      state.withLock { state in
        guard !state.isCancelled else { return false }
        state.job = job
        state.continuation = continuation
        return true
      }
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    func resume(with result: Result<Value, any Error>) {
      let continuation = state.withLock { state in
        state.job = nil
        if state.continuation != nil { state.result = result }
        defer { state.continuation = nil }
        return state.continuation
      }
      continuation?.resume()
    }

    /// What came of the job; a cancellation where there was none.
    func takeResult() throws -> Value {
      let result = state.withLock { state in
        defer { state.result = nil }
        return state.result
      }
      guard let result else { throw CancellationError() }
      return try result.get()
    }
  }
}
