import Glibc

/// A bounded set of plain threads for work that blocks or computes for long, which the cooperative pool must never do.
///
/// Threads start when there is work for them and stay.
package final class WorkerSet: Sendable {
  /// Decoding, encoding and transforming: as many threads as processors, since more only take memory from each other.
  package static let pixels = WorkerSet(threads: CPUBudget.processors)
  /// Waiting for disks, where a few more threads than processors keep the disk busy.
  package static let files = WorkerSet(threads: max(4, CPUBudget.processors))

  private struct State {
    var queue: WorkQueue
    var threads = 0
    var idle = 0
    var isClosed = false
  }

  private let limit: Int
  private let state: Locked<State>
  private let wakeUps = Semaphore()

  package init(threads: Int, order: WorkOrder = .firstInFirstOut) {
    limit = max(1, threads)
    state = Locked(State(queue: WorkQueue(order: order)))
  }

  deinit {
    // Threads hold the state but not the set; each wakes up once more to see that it may go.
    let threads = state.withLock { state in
      state.isClosed = true
      return state.threads
    }
    for _ in 0..<threads { wakeUps.signal() }
  }

  /// The number of jobs that wait for a thread.
  package var waitingCount: Int { state.withLock { $0.queue.count } }

  /// Runs `body` on one of the threads.
  ///
  /// The job's place in the queue follows `priority`. When the task is cancelled before a thread took the job, the job
  /// never runs; afterwards it runs to its end, and what it should give up for must be told to it in another way.
  package func run<Value: Sendable>(
    at priority: LivePriority = LivePriority(), _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let ticket = Ticket<Value>()
    return try await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let job = WorkQueue.Job { ticket.resume(with: Result(catching: body)) }
        guard ticket.start(job, continuation) else { return continuation.resume() }
        submit(job, at: priority)
        if ticket.isCancelled { withdraw(ticket) }
      }
      return try ticket.takeResult()
    } onCancel: {
      ticket.cancel()
      withdraw(ticket)
    }
  }

  /// Runs `body` on one of the threads, some time.
  package func start(at priority: LivePriority, _ body: @escaping @Sendable () -> Void) {
    submit(WorkQueue.Job(body), at: priority)
  }

  private func withdraw<Value>(_ ticket: Ticket<Value>) {
    guard let job = ticket.job, state.withLock({ $0.queue.remove(job) }) else { return }
    ticket.resume(with: .failure(CancellationError()))
  }

  private func submit(_ job: WorkQueue.Job, at priority: LivePriority) {
    let needsThread = state.withLock { state in
      state.queue.add(job, at: priority.value)
      guard state.idle < state.queue.count, state.threads < limit else { return false }
      state.threads += 1
      return true
    }
    priority.onChange(for: job) { [weak self] job, value in
      self?.state.withLock { $0.queue.move(job, to: value) }
    }
    if needsThread { startThread() }
    wakeUps.signal()
  }

  private func startThread() {
    let state = state
    let wakeUps = wakeUps
    let started = PlainThread.start {
      while Self.runNext(state, wakeUps) {}
    }
    // Without a thread the work waits for those that run already; with none at all it could never be done.
    precondition(started || state.withLock { $0.threads } > 1, "The system does not allow a single worker thread.")
    if !started { state.withLock { $0.threads -= 1 } }
  }

  /// Waits for a job and runs it; false when the set is gone.
  private static func runNext(_ state: Locked<State>, _ wakeUps: Semaphore) -> Bool {
    state.withLock { $0.idle += 1 }
    wakeUps.wait()
    let (job, isClosed) = state.withLock { state in
      state.idle -= 1
      return (state.queue.next(), state.isClosed)
    }
    job?.body()
    return job != nil || !isClosed
  }

  /// Resumes a caller exactly once, whoever comes first: the thread that did the work or the one that withdrew it.
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
