import EaselCore
import EaselTestSupport
import EaselWorkers
import Testing

/// The order of waiting work, seen with a single thread that runs one job at a time.
struct WorkerSetOrderTests {
  private let log = Watched<[String]>([])
  private let gate = Gate()

  private func add(
    _ name: String, to workers: WorkerSet, at priority: LoadPriority.Live = LoadPriority.Live()
  ) -> Task<Void, any Error> {
    Task.started {
      try await workers.run(at: priority) {
        log.withLock { $0.append(name) }
        gate.pass()
      }
    }
  }

  private func finish(_ tasks: [Task<Void, any Error>]) async throws -> [String] {
    gate.open()
    for task in tasks { try await task.value }
    return log.withLock { $0 }
  }

  /// Keeps the only thread busy, so that later jobs have to wait.
  private func occupy(_ workers: WorkerSet) async -> Task<Void, any Error> {
    let task = add("first", to: workers)
    await gate.waitForWaiters()
    return task
  }

  @Test func theMostUrgentGoesFirstAndEqualsByAge() async throws {
    let workers = WorkerSet(threads: 1)
    var tasks = [await occupy(workers)]
    let priorities: [LoadPriority] = [.low, .veryHigh, .normal, .veryLow, .high, .normal, .veryHigh, .low]
    for (index, priority) in priorities.enumerated() {
      tasks.append(add("\(index) \(priority)", to: workers, at: LoadPriority.Live(priority)))
    }
    #expect(workers.waitingCount == priorities.count)
    #expect(
      try await finish(tasks) == [
        "first", "1 veryHigh", "6 veryHigh", "4 high", "2 normal", "5 normal", "0 low", "7 low", "3 veryLow",
      ])
    #expect(workers.waitingCount == 0)
  }

  @Test(arguments: [LoadPriority.Order.firstInFirstOut, .lastInFirstOut])
  func theOrderHoldsAlsoForWhatComesInTheMiddle(order: LoadPriority.Order) async throws {
    let workers = WorkerSet(threads: 1, order: order)
    var tasks = [await occupy(workers)]
    for name in ["a", "b", "c"] { tasks.append(add(name, to: workers)) }
    gate.letThrough()
    await log.wait { $0.count == 2 }
    await gate.waitForWaiters()
    for name in ["d", "e"] { tasks.append(add(name, to: workers)) }
    gate.letThrough()
    await log.wait { $0.count == 3 }
    await gate.waitForWaiters()
    tasks.append(add("f", to: workers))
    let expected =
      order == .firstInFirstOut
      ? ["first", "a", "b", "c", "d", "e", "f"] : ["first", "c", "e", "f", "d", "b", "a"]
    #expect(try await finish(tasks) == expected)
  }

  @Test func lastInFirstOutHoldsWithinAPriorityOnly() async throws {
    let workers = WorkerSet(threads: 1, order: .lastInFirstOut)
    var tasks = [await occupy(workers)]
    for (name, priority) in [("a", LoadPriority.high), ("b", .low), ("c", .high), ("d", .low)] {
      tasks.append(add(name, to: workers, at: LoadPriority.Live(priority)))
    }
    #expect(try await finish(tasks) == ["first", "c", "a", "d", "b"])
  }

  @Test func aWaitingJobFollowsItsPriorityUpAndDown() async throws {
    let workers = WorkerSet(threads: 1)
    var tasks = [await occupy(workers)]
    let priorities = ["a", "b", "c", "d"].map { ($0, LoadPriority.Live(.normal)) }
    for (name, priority) in priorities { tasks.append(add(name, to: workers, at: priority)) }
    let urgent = LoadPriority.Live(.high)
    tasks.append(add("urgent", to: workers, at: urgent))
    priorities[0].1.set(.low)
    priorities[2].1.set(.high)
    priorities[3].1.set(.veryHigh)
    priorities[3].1.set(.normal)
    #expect(try await finish(tasks) == ["first", "urgent", "c", "b", "d", "a"])
  }

  @Test func aPriorityThatChangesWhileTheJobRunsMovesNobody() async throws {
    let workers = WorkerSet(threads: 1)
    let priority = LoadPriority.Live(.normal)
    let running = add("first", to: workers, at: priority)
    await gate.waitForWaiters()
    let tasks = [running, add("a", to: workers), add("b", to: workers)]
    priority.set(.veryHigh)
    priority.set(.veryLow)
    #expect(workers.waitingCount == 2)
    #expect(try await finish(tasks) == ["first", "a", "b"])
  }

  @Test func randomChangesOfPriorityLeaveTheQueueSorted() async throws {
    var random = SeededRandom(seed: 7)
    for order in [LoadPriority.Order.firstInFirstOut, .lastInFirstOut] {
      let fresh = WorkerSetOrderTests()
      let workers = WorkerSet(threads: 1, order: order)
      var tasks = [await fresh.occupy(workers)]
      var lines = [LoadPriority: [String]]()
      var jobs: [(name: String, priority: LoadPriority.Live)] = []
      for step in 0..<300 {
        if jobs.isEmpty || Bool.random(using: &random) {
          let priority = LoadPriority.allCases.randomElement(using: &random)!
          jobs.append(("\(step)", LoadPriority.Live(priority)))
          tasks.append(fresh.add(jobs.last!.name, to: workers, at: jobs.last!.priority))
          lines[priority, default: []].append(jobs.last!.name)
        } else {
          let job = jobs.randomElement(using: &random)!
          let priority = LoadPriority.allCases.randomElement(using: &random)!
          guard priority != job.priority.value else { continue }
          lines[job.priority.value]?.removeAll { $0 == job.name }
          lines[priority, default: []].append(job.name)
          job.priority.set(priority)
        }
      }
      let expected = LoadPriority.allCases.reversed().flatMap { priority -> [String] in
        let line = lines[priority] ?? []
        return order == .firstInFirstOut ? line : line.reversed()
      }
      #expect(try await fresh.finish(tasks) == ["first"] + expected)
    }
  }
}
