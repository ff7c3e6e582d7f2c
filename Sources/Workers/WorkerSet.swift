import EaselCore
import EaselSupport

/// A bounded set of plain threads for work that blocks or computes for long and so must not use the cooperative pool.
///
/// Threads start on demand and stay. When a job with terms exceeds its time, its caller gets an error and another
/// thread replaces the one that hangs.
package final class WorkerSet: Sendable {
  /// For decoding, encoding and transforming: one thread per processor, because more only compete for memory.
  ///
  /// One more runs an urgent job, which must not wait until very large pictures are done that nobody is in a hurry for.
  package static let pixels = WorkerSet(threads: CPUBudget.processors, extraThread: true)
  /// For looking at bytes that have arrived: their header, and their fingerprint.
  ///
  /// The jobs are short and must not wait behind pictures. A gate that orders the work would otherwise hear late of it.
  package static let arrivals = WorkerSet(threads: CPUBudget.processors)
  /// For reading from disks: a few more threads than processors keep the disk busy.
  package static let files = WorkerSet(threads: max(4, CPUBudget.processors))
  /// For writing to disks.
  ///
  /// Writes wait for each other and for other processes, and must not delay reads.
  package static let fileWrites = WorkerSet(threads: 4)

  /// The clock that measures the time of jobs.
  package let clock: any ImageClock

  private let threads: WorkerThreads

  /// Bounds the number of threads, and sets the order in which jobs are taken.
  ///
  /// With `extraThread`, one more thread runs a job of high priority that is more urgent than all that run.
  /// `start` starts a thread, or returns false when the system does not allow it.
  package init(
    threads: Int, extraThread: Bool = false, order: LoadPriority.Order = .firstInFirstOut,
    clock: any ImageClock = SystemClock(),
    start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = { PlainThread.start($0) }
  ) {
    self.clock = clock
    self.threads = WorkerThreads(
      atMost: max(1, threads), extraThread: extraThread, order, clock: clock, start: start)
  }

  deinit { threads.close() }

  /// The number of jobs that wait for a thread.
  package var waitingCount: Int { threads.waitingCount }

  /// The number of threads that are overdue in their jobs and have not returned yet.
  package var lostCount: Int { threads.lostCount }

  /// Runs `body` on one of the threads.
  ///
  /// The body sees the task-locals of the calling task. The job's place in the queue follows `priority`. If the task is
  /// cancelled before a thread takes the job, the job never runs. A running job is not stopped, so a cancellation must
  /// reach it in another way. A job with `terms` that exceeds its time fails with the error of the terms, and its
  /// result is dropped.
  package func run<Value: Sendable>(
    at priority: LoadPriority.Live = LoadPriority.Live(), _ terms: JobTerms? = nil,
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let ticket = Ticket<Value>()
    return try await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let caller = CallerTask()
        let job = WorkQueue.Job(terms) { failure in
          guard let failure else { return caller.run { ticket.resume(with: Result(catching: body)) } }
          ticket.resume(with: .failure(failure))
          caller.drop()
        }
        guard ticket.start(job, continuation) else {
          caller.drop()
          return continuation.resume()
        }
        threads.add(job, at: priority)
        if ticket.isCancelled { withdraw(ticket) }
      }
      return try ticket.takeResult()
    } onCancel: {
      ticket.cancel()
      withdraw(ticket)
    }
  }

  /// Queues `body` for one of the threads and returns at once.
  ///
  /// If `body` can never run, `onFailure` is called instead. If it exceeds its time, `onFailure` is called as well.
  package func start(
    at priority: LoadPriority.Live, _ terms: JobTerms? = nil,
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
    // The job lets go of its caller. The ticket has its answer already.
    job.body(.cancelled())
  }

  /// Resumes a caller exactly once, for the first of these: the end of the work, its withdrawal, or its time limit.
  private final class Ticket<Value: Sendable>: Sendable {
    private struct State {
      var job: WorkQueue.Job?
      var continuation: UnsafeContinuation<Void, Never>?
      // Passed under the lock, because ThreadSanitizer does not see a value passed through the continuation.
      var result: Result<Value, any Error>?
      var isCancelled = false
    }

    private let state = Locked(State())

    var job: WorkQueue.Job? { state.withLock { $0.job } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// False when the caller was cancelled before there was a job.
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

    /// The result of the job; throws a cancellation when there is none.
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
