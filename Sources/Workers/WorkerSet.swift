import EaselCore
import EaselSupport

/// A limited set of plain threads, for work that blocks or computes for long and must not use the cooperative pool.
///
/// Threads start when needed, and then stay. When a job with terms exceeds its time, its caller gets an error, and
/// another thread replaces the one that hangs.
package final class WorkerSet: Sendable {
  /// The threads for decoding, encoding and transforming: one per processor, because more would only compete for
  /// memory.
  ///
  /// An extra thread runs an urgent job, which must not wait for very large pictures that are less urgent.
  package static let pixels = WorkerSet(threads: CPUBudget.processors, extraThread: true)
  /// The threads that read the header and compute the fingerprint of bytes that have arrived.
  ///
  /// These jobs are short, and must not wait for pictures. Otherwise a gate that orders the work would learn of it
  /// late.
  package static let arrivals = WorkerSet(threads: CPUBudget.processors)
  /// The threads that read from disks; a few more threads than processors keep the disk busy.
  package static let files = WorkerSet(threads: max(4, CPUBudget.processors))
  /// The threads that write to disks.
  ///
  /// Writes wait for each other and for other processes, and must not delay reads.
  package static let fileWrites = WorkerSet(threads: 4)

  /// The clock that measures the time of jobs.
  package let clock: any ImageClock

  private let threads: WorkerThreads

  /// Creates a set with at most `threads` threads, which take jobs in this order.
  ///
  /// With `extraThread`, one more thread runs a job of high priority if all running jobs are less urgent. `start`
  /// starts a thread, or returns false when the system does not allow another thread.
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

  /// The number of threads whose job is overdue and has not yet returned.
  package var lostCount: Int { threads.lostCount }

  /// Runs `body` on one of the threads.
  ///
  /// The body sees the task-locals of the calling task. The job's position in the queue depends on `priority`. If the
  /// task is cancelled before a thread takes the job, the job never runs. A running job is not stopped, so the caller
  /// must tell it of the cancellation in another way. If a job with `terms` exceeds its time, the call fails with the
  /// error of the terms, and the result of the job is dropped.
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

  /// Queues `body` for one of the threads, and returns at once.
  ///
  /// If `body` can never run, or exceeds its time, `onFailure` is called.
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
    // The job releases its caller. The ticket already has its answer.
    job.body(.cancelled())
  }

  /// Resumes a caller exactly once: at the end of the work, at its cancellation, or at its time limit.
  private final class Ticket<Value: Sendable>: Sendable {
    private struct State {
      var job: WorkQueue.Job?
      var continuation: UnsafeContinuation<Void, Never>?
      // Read and written under the lock: ThreadSanitizer does not see that a continuation passes a value between
      // threads.
      var result: Result<Value, any Error>?
      var isCancelled = false
    }

    private let state = Locked(State())

    var job: WorkQueue.Job? { state.withLock { $0.job } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Returns false when the caller was cancelled before there was a job.
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

    /// Takes the result of the job; throws a cancellation when there is none.
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
