import EaselCore
import EaselSupport
import EaselTestSupport
import EaselWorkers
import Glibc
import Testing

struct WorkerSetTests {
  private struct Failure: Error, Equatable {}

  @Test func theValueComesBack() async throws {
    #expect(try await WorkerSet(threads: 2).run { 6 * 7 } == 42)
  }

  @Test func theErrorComesBackAsItWasThrown() async {
    await #expect(throws: Failure.self) { try await WorkerSet(threads: 2).run { throw Failure() } }
  }

  @Test(arguments: [(3, 3), (1, 1), (0, 1), (-5, 1)])
  func atMostItsThreadsWorkAtOnce(threads: Int, expected: Int) async throws {
    let workers = WorkerSet(threads: threads)
    let gate = Gate()
    let running = Locked((now: 0, most: 0))
    let tasks = (0..<10).map { _ in
      Task.started {
        try await workers.run {
          running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
          gate.pass()
          running.withLock { $0.now -= 1 }
        }
      }
    }
    await gate.waitForWaiters(count: expected)
    #expect(workers.waitingCount == 10 - expected)
    gate.open()
    for task in tasks { try await task.value }
    #expect(running.withLock { $0.most } == expected)
  }

  @Test func workRunsOnThreadsOfItsOwn() async throws {
    let workers = WorkerSet(threads: 2)
    let threads = Locked<Set<pthread_t>>([])
    for _ in 0..<50 {
      try await workers.run { threads.withLock { _ = $0.insert(pthread_self()) } }
    }
    #expect((1...2).contains(threads.withLock { $0.count }))
    #expect(!threads.withLock { $0.contains(pthread_self()) })
  }

  // MARK: Cancellation

  @Test func aJobThatIsCancelledBeforeAThreadTookItNeverRuns() async throws {
    let workers = WorkerSet(threads: 1)
    let gate = Gate()
    let busy = Task.started { try await workers.run { gate.pass() } }
    await gate.waitForWaiters()
    let hasRun = Locked(false)
    let waiting = Task.started { try await workers.run { hasRun.withLock { $0 = true } } }
    #expect(workers.waitingCount == 1)
    waiting.cancel()
    // The thread is still busy: the caller is answered without waiting for it.
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(workers.waitingCount == 0)
    gate.open()
    try await busy.value
    try await workers.run {}
    #expect(!hasRun.withLock { $0 })
  }

  @Test func aTaskThatIsCancelledAlreadyQueuesNothing() async throws {
    let workers = WorkerSet(threads: 1)
    let gate = AsyncGate()
    let hasRun = Locked(false)
    let task = Task.started {
      try? await gate.pass()
      try await workers.run { hasRun.withLock { $0 = true } }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!hasRun.withLock { $0 })
    #expect(workers.waitingCount == 0)
  }

  @Test func aJobThatRunsIsNotCutShort() async throws {
    let workers = WorkerSet(threads: 1)
    let gate = Gate()
    let task = Task.started {
      try await workers.run {
        gate.pass()
        return 1
      }
    }
    await gate.waitForWaiters()
    task.cancel()
    gate.open()
    #expect(try await task.value == 1)
  }

  @Test func everyCallEndsOnceWhateverItsCancellationMeets() async throws {
    let workers = WorkerSet(threads: 2)
    let runs = Locked(0)
    let ends = Locked((done: 0, cancelled: 0))
    // The rounds run concurrently, because on a busy machine each takes its time.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          for round in 0..<10 {
            let priority = LoadPriority.Live(.low)
            let tasks = (0..<10).map { _ in
              Task { try await workers.run(at: priority) { runs.withLock { $0 += 1 } } }
            }
            priority.set(round.isMultiple(of: 2) ? .high : .veryLow)
            for (index, task) in tasks.enumerated() where index.isMultiple(of: 3) { task.cancel() }
            for task in tasks {
              do {
                try await task.value
                ends.withLock { $0.done += 1 }
              } catch {
                #expect(error is CancellationError)
                ends.withLock { $0.cancelled += 1 }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let (done, cancelled) = ends.withLock { $0 }
    #expect(done + cancelled == 2000)
    #expect(runs.withLock { $0 } == done)
    #expect(workers.waitingCount == 0)
  }

  // MARK: The end

  @Test func itsThreadsEndWithTheSet() async throws {
    let ended = Watched(0)
    let key = ThreadEnd.makeKey()
    let gate = Gate()
    do {
      let workers = WorkerSet(threads: 3)
      let tasks = (0..<3).map { _ in
        Task.started {
          try await workers.run {
            ThreadEnd.report(to: ended, key)
            gate.pass()
          }
        }
      }
      await gate.waitForWaiters(count: 3)
      #expect(ended.withLock { $0 } == 0)
      gate.open()
      for task in tasks { try await task.value }
    }
    await ended.wait { $0 == 3 }
    #expect(ended.withLock { $0 } == 3)
  }

  @Test func whatAJobHeldIsLetGo() async throws {
    let workers = WorkerSet(threads: 1)
    weak var held: Holder?
    do {
      let holder = Holder()
      held = holder
      try await workers.run { withExtendedLifetime(holder) {} }
    }
    // The only thread takes this job after it has released the first.
    try await workers.run {}
    #expect(held == nil)
  }

  private final class Holder: Sendable {}
}
