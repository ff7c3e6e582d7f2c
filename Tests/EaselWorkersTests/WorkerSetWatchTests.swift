import EaselSupport
import EaselTestStudio
import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselWorkers

/// Jobs that do not return: their callers are answered, and other jobs still run.
struct WorkerSetWatchTests {
  private let clock = ManualClock()
  private let gate = Gate()

  private func terms(_ limit: Duration = .seconds(4), _ told: Locked<Int> = Locked(0)) -> JobTerms {
    JobTerms(WorkTime(limit, clock: clock)) {
      told.withLock { $0 += 1 }
      return ImageError(.limitExceeded, "It hangs.")
    }
  }

  private func set(_ threads: Int) -> WorkerSet { WorkerSet(threads: threads, clock: clock) }

  /// Starts a job that waits at the gate, and waits until the job is there.
  private func hang(on workers: WorkerSet, _ terms: JobTerms) async -> Task<Int, any Error> {
    let before = gate.waitingCount
    let task = Task.started { [gate] in
      try await workers.run(terms) {
        gate.pass()
        return 1
      }
    }
    await gate.waitForWaiters(count: before + 1)
    return task
  }

  @Test func aJobThatDoesNotEndInItsTimeIsAnsweredAndItsThreadReplaced() async throws {
    let workers = set(1)
    let told = Locked(0)
    let hanging = await hang(on: workers, terms(.seconds(4), told))
    let waiting = Task.started { try await workers.run { 2 } }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: ImageError.self) { try await hanging.value }
    #expect(error?.message == "It hangs.")
    #expect(try await waiting.value == 2)
    #expect(workers.lostCount == 1)
    #expect(told.withLock { $0 } == 1)
    gate.open()
  }

  @Test func aJobMayUseTheTimeThatIsGivenBack() async throws {
    let workers = set(1)
    let time = WorkTime(.seconds(4), clock: clock)
    let hanging = await hang(on: workers, JobTerms(time) { ImageError(.limitExceeded, "It hangs.") })
    await clock.waitForSleepers()
    time.giveBack(.seconds(3))
    clock.advance(by: .seconds(5))
    await clock.waitForSleepers()
    #expect(clock.remainingSleeps == [.seconds(3)] && workers.lostCount == 0)
    clock.advance(by: .seconds(3))
    let error = await #expect(throws: ImageError.self) { try await hanging.value }
    #expect(error?.message == "It hangs.")
    gate.open()
  }

  @Test func aJobHasItsTimeAndASecondMore() async throws {
    let workers = set(1)
    let hanging = await hang(on: workers, terms())
    await clock.waitForSleepers()
    #expect(clock.remainingSleeps == [.seconds(5)])
    clock.advance(by: .seconds(4.9))
    gate.open()
    #expect(try await hanging.value == 1)
    #expect(workers.lostCount == 0)
  }

  @Test func theTimeOfAJobStartsWhenAThreadTakesIt() async throws {
    let workers = set(1)
    let busy = Task.started { [gate] in try await workers.run { gate.pass() } }
    await gate.waitForWaiters()
    let patient = Task.started { [self] in try await workers.run(terms(.seconds(1))) { 3 } }
    clock.advance(by: .seconds(1000))
    gate.open()
    try await busy.value
    #expect(try await patient.value == 3)
  }

  @Test func aThreadThatReturnsAtLastEndsAndWhatItBringsIsDropped() async throws {
    let workers = set(1)
    let ended = Watched(0)
    let key = ThreadEnd.makeKey()
    let task = Task.started { [self] in
      try await workers.run(terms()) {
        ThreadEnd.report(to: ended, key)
        gate.pass()
        return 1
      }
    }
    await gate.waitForWaiters()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    await #expect(throws: ImageError.self) { try await task.value }
    gate.open()
    await ended.wait { $0 == 1 }
    #expect(workers.lostCount == 0)
    #expect(try await workers.run { 2 } == 2)
  }

  @Test func threadsAreGivenUpWithinABoundAndWhatWaitsAfterThatFailsToo() async throws {
    let workers = set(1)
    for number in 1...17 {
      let hanging = await hang(on: workers, terms())
      await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
      await #expect(throws: ImageError.self) { try await hanging.value }
      #expect(workers.lostCount == number)
    }
    // The seventeenth job keeps the only place, so no thread becomes free.
    let told = Locked(0)
    let waiting = Task.started { [self] in try await workers.run(terms(.seconds(2), told)) { 3 } }
    await clock.waitForSleepers()
    #expect(clock.remainingSleeps == [.seconds(3)])
    clock.advance(by: .seconds(3))
    let error = await #expect(throws: ImageError.self) { try await waiting.value }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("17 are held by calls of plug-ins that do not return") == true)
    #expect(told.withLock { $0 } == 0, "it never hung")
    #expect(workers.waitingCount == 0)
    // Any returning job makes room.
    gate.letThrough()
    await waitUntil { workers.lostCount == 16 }
    #expect(try await workers.run { 4 } == 4)
    gate.open()
    await waitUntil { workers.lostCount == 0 }
    #expect(try await workers.run { 5 } == 5)
  }

  @Test func whatWaitsWhileEverythingHangsIsDoneWhenAThreadReturnsInTime() async throws {
    let workers = set(1)
    for _ in 1...17 {
      let hanging = await hang(on: workers, terms())
      await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
      await #expect(throws: ImageError.self) { try await hanging.value }
    }
    let waiting = Task.started { [self] in try await workers.run(terms(.seconds(2))) { 3 } }
    await clock.waitForSleepers()
    gate.letThrough()
    #expect(try await waiting.value == 3)
    gate.open()
    await waitUntil { workers.lostCount == 0 }
  }

  @Test func whatOthersStartedIsToldThatItHangsToo() async {
    let workers = set(1)
    let failure = Watched<ImageError?>(nil)
    workers.start(
      at: LoadPriority.Live(), terms(), onFailure: { error in failure.withLock { $0 = error } },
      { [gate] in gate.pass() })
    await gate.waitForWaiters()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    await failure.wait { $0 != nil }
    gate.open()
    await waitUntil { workers.lostCount == 0 }
  }

  @Test func oneAlarmServesManyJobs() async throws {
    let workers = set(2)
    for _ in 0..<100 { #expect(try await workers.run(terms()) { 1 } == 1) }
    await clock.waitForSleepers()
    #expect(clock.sleeperCount == 1)
    // A job with an earlier deadline resets the watch instead of adding another.
    let short = await hang(on: workers, terms(.seconds(1)))
    await waitUntil { [clock] in clock.remainingSleeps == [.seconds(2)] }
    clock.advance(by: .seconds(2))
    await #expect(throws: ImageError.self) { try await short.value }
    gate.open()
    await waitUntil { [clock] in clock.sleeperCount == 0 }
  }

  @Test func aSetMayEndWhileThreadsOfItHang() async throws {
    let ended = Watched(0)
    let key = ThreadEnd.makeKey()
    do {
      let workers = set(2)
      let task = Task.started { [self] in
        try await workers.run(terms()) {
          ThreadEnd.report(to: ended, key)
          gate.pass()
        }
      }
      await gate.waitForWaiters()
      await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
      await #expect(throws: ImageError.self) { try await task.value }
      try await workers.run { ThreadEnd.report(to: ended, key) }
    }
    await ended.wait { $0 == 1 }
    gate.open()
    await ended.wait { $0 == 2 }
  }

  // MARK: Threads that cannot be started

  @Test func withoutAnyThreadTheWorkFailsAndNothingCrashes() async throws {
    let isAllowed = Locked(false)
    let workers = WorkerSet(threads: 2, clock: clock) { body in
      isAllowed.withLock { $0 } && PlainThread.start(body)
    }
    let error = await #expect(throws: ImageError.self) { try await workers.run { 1 } }
    #expect(error?.code == .limitExceeded)
    #expect(workers.waitingCount == 0)
    // From now on threads can be started.
    isAllowed.withLock { $0 = true }
    #expect(try await workers.run { 2 } == 2)
  }

  @Test func whatNoNewThreadCanDoIsDoneByThoseThatAreThere() async throws {
    let left = Locked(1)
    let workers = WorkerSet(threads: 4, clock: clock) { body in
      let mayStart = left.withLock { left in
        left -= 1
        return left >= 0
      }
      return mayStart && PlainThread.start(body)
    }
    let tasks = (0..<10).map { number in Task { try await workers.run { number } } }
    for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
  }

  @Test func whatWaitsForAThreadThatHangsAndCannotBeReplacedFails() async throws {
    let left = Locked(1)
    let workers = WorkerSet(threads: 4, clock: clock) { body in
      let mayStart = left.withLock { left in
        left -= 1
        return left >= 0
      }
      return mayStart && PlainThread.start(body)
    }
    let hanging = await hang(on: workers, terms())
    let waiting = Task.started { try await workers.run { 2 } }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    await #expect(throws: ImageError.self) { try await hanging.value }
    await #expect(throws: ImageError.self) { try await waiting.value }
    gate.open()
  }
}
