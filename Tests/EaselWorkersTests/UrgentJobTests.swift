import EaselCore
import EaselSupport
import EaselTestStudio
import EaselTestSupport
import Testing

@testable import EaselWorkers

/// The thread beyond the limit, which runs an urgent job beside those that nobody is in a hurry for.
struct UrgentJobTests {
  private let clock = ManualClock()
  private let crowd = Gate()
  private let urgent = Gate()
  private let started = Locked(0)

  private func set(_ threads: Int, mostStarted: Int = .max) -> WorkerSet {
    WorkerSet(threads: threads, extraThread: true, clock: clock) { [started] body in
      let mayStart = started.withLock { count in
        guard count < mostStarted else { return false }
        count += 1
        return true
      }
      return mayStart && PlainThread.start(body)
    }
  }

  /// Starts a job that waits at a gate.
  private func add(
    _ gate: Gate, to workers: WorkerSet, _ priority: LoadPriority, _ terms: JobTerms? = nil
  ) -> Task<LoadPriority, any Error> {
    .started {
      try await workers.run(at: LoadPriority.Live(priority), terms) {
        gate.pass()
        return priority
      }
    }
  }

  /// Fills all threads of a set.
  private func fill(_ workers: WorkerSet, _ count: Int, _ priority: LoadPriority = .normal) async
    -> [Task<LoadPriority, any Error>]
  {
    let tasks = (0..<count).map { _ in add(crowd, to: workers, priority) }
    await crowd.waitForWaiters(count: count)
    return tasks
  }

  private func finish(_ tasks: [Task<LoadPriority, any Error>]) async throws {
    crowd.open()
    urgent.open()
    for task in tasks { _ = try await task.value }
  }

  @Test(arguments: [LoadPriority.veryLow, .low, .normal])
  func anUrgentJobDoesNotWaitForOthers(_ others: LoadPriority) async throws {
    let workers = set(2)
    var tasks = await fill(workers, 2, others)
    tasks.append(add(crowd, to: workers, others))
    #expect(try await workers.run(at: LoadPriority.Live(.high)) { 7 } == 7)
    #expect(workers.waitingCount == 1, "The thread beyond the limit took nothing else.")
    #expect(try await workers.run(at: LoadPriority.Live(.veryHigh)) { 8 } == 8)
    #expect(workers.waitingCount == 1)
    try await finish(tasks)
  }

  @Test func onlyOneRunsBeyondTheLimit() async throws {
    let workers = set(1)
    var tasks = await fill(workers, 1)
    tasks.append(add(urgent, to: workers, .high))
    await urgent.waitForWaiters(count: 1)
    tasks.append(add(urgent, to: workers, .high))
    tasks.append(add(urgent, to: workers, .veryHigh))
    #expect(workers.waitingCount == 2)
    #expect(started.withLock { $0 } == 2)
    try await finish(tasks)
  }

  @Test func whoIsNotMoreUrgentWaits() async throws {
    let workers = set(2)
    var tasks = [add(crowd, to: workers, .low), add(crowd, to: workers, .high)]
    await crowd.waitForWaiters(count: 2)
    tasks.append(add(urgent, to: workers, .high))
    tasks.append(add(urgent, to: workers, .normal))
    #expect(workers.waitingCount == 2)
    #expect(started.withLock { $0 } == 2)
    try await finish(tasks)
  }

  @Test func aJobThatBecomesUrgentRunsAtOnce() async throws {
    let workers = set(1)
    let tasks = await fill(workers, 1)
    let priority = LoadPriority.Live(.low)
    let waiting = Task.started { try await workers.run(at: priority) { 7 } }
    #expect(workers.waitingCount == 1)
    priority.set(.high)
    #expect(try await waiting.value == 7)
    try await finish(tasks)
  }

  @Test func withoutAnotherThreadAnUrgentJobIsNext() async throws {
    let workers = set(1, mostStarted: 1)
    let order = Locked<[String]>([])
    let tasks = await fill(workers, 1)
    let low = Task.started { try await workers.run { order.withLock { $0.append("normal") } } }
    let high = Task.started {
      try await workers.run(at: LoadPriority.Live(.high)) { order.withLock { $0.append("urgent") } }
    }
    #expect(workers.waitingCount == 2)
    try await finish(tasks)
    try await high.value
    try await low.value
    #expect(order.withLock { $0 } == ["urgent", "normal"])
  }

  @Test func anUrgentJobThatHangsIsAnsweredAndTheNextRuns() async throws {
    let workers = set(1)
    let tasks = await fill(workers, 1)
    let terms = JobTerms(WorkTime(.seconds(4), clock: clock)) { ImageError(.limitExceeded, "It hangs.") }
    let hanging = add(urgent, to: workers, .high, terms)
    await urgent.waitForWaiters(count: 1)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: ImageError.self) { try await hanging.value }
    #expect(error?.message == "It hangs." && workers.lostCount == 1)
    #expect(try await workers.run(at: LoadPriority.Live(.high)) { 7 } == 7)
    try await finish(tasks)
    // A thread that returns at last ends.
    while workers.lostCount > 0 { await Task.yield() }
  }

  @Test func withoutTheSettingAllWait() async throws {
    let workers = WorkerSet(threads: 1, clock: clock)
    var tasks = await fill(workers, 1)
    tasks.append(add(urgent, to: workers, .veryHigh))
    #expect(workers.waitingCount == 1)
    try await finish(tasks)
  }
}
