import EaselCore
import EaselTestSupport
import Testing

@testable import EaselService

struct AdmissionTests {
  private let clock = ManualClock()

  private func admission(_ change: (inout AdmissionSettings) -> Void = { _ in }) -> Admission {
    var settings = AdmissionSettings(processors: 1)
    settings.paces = 1...1
    change(&settings)
    return Admission(settings, clock: clock)
  }

  private let work = WorkCost(nanoseconds: 50_000_000)

  /// A task that has arrived when this returns.
  private func entering(
    _ admission: Admission, _ cost: WorkCost? = nil, within deadline: Duration? = nil
  ) -> Task<AdmissionPass, any Error> {
    let cost = cost ?? work
    let deadline = deadline.map { clock.uptime + $0 }
    return .started { try await admission.enter(cost, deadline: deadline) }
  }

  @Test func aFreePlaceIsTakenWithoutWaiting() async throws {
    let admission = admission()
    let pass = try await admission.enter(work)
    #expect(admission.snapshot.running == 1)
    pass.leave()
    #expect(admission.snapshot.running == 0 && admission.snapshot.lanes[.normal]?.admitted == 1)
  }

  @Test func leavingLetsTheNextOneIn() async throws {
    let admission = admission()
    let first = try await admission.enter(work)
    let second = entering(admission)
    let third = entering(admission)
    #expect(admission.snapshot.waiting == 2)
    #expect(admission.snapshot.waitingPixels == 2 * work.pixels)
    first.leave()
    try await second.value.leave()
    try await third.value.leave()
    #expect(admission.snapshot.waiting == 0 && admission.snapshot.running == 0)
  }

  @Test func aPassLeavesOnce() async throws {
    let admission = admission()
    let first = try await admission.enter(work)
    let second = entering(admission)
    let third = entering(admission)
    first.leave()
    first.leave()
    let pass = try await second.value
    #expect(admission.snapshot.waiting == 1 && admission.snapshot.running == 1)
    pass.leave()
    try await third.value.leave()
  }

  @Test func aForgottenPassGivesItsPlaceBack() async throws {
    let admission = admission()
    _ = try await admission.enter(work)
    #expect(admission.snapshot.running == 0)
    #expect(admission.snapshot.pace == 1)
  }

  @Test func aCancelledWaiterLeavesAtOnce() async throws {
    let admission = admission()
    let first = try await admission.enter(work)
    let second = entering(admission)
    let third = entering(admission)
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(admission.snapshot.waiting == 1 && admission.snapshot.lanes[.normal]?.withdrawn == 1)
    first.leave()
    try await third.value.leave()
  }

  @Test func aCancelledTaskDoesNotEnter() async throws {
    let admission = admission()
    let task = Task { [work] in
      while !Task.isCancelled { await Task.yield() }
      return try await admission.enter(work)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(admission.snapshot.running == 0)
  }

  @Test func aFullQueueSaysWhenToTryAgain() async throws {
    let admission = admission { $0.queueLength = 1 }
    let first = try await admission.enter(WorkCost(nanoseconds: 3_000_000_000))
    let second = entering(admission, WorkCost(nanoseconds: 4_000_000_000))
    let refusal = await #expect(throws: AdmissionRefusal.self) { try await admission.enter(work) }
    #expect(refusal == AdmissionRefusal(reason: .queueFull, retryAfter: 7))
    #expect(refusal?.message == "The server has too much work. Try again in 7 s.")
    first.leave()
    try await second.value.leave()
  }

  @Test func theClockEndsTheWait() async throws {
    let admission = admission()
    let first = try await admission.enter(work)
    let late = entering(admission, within: .seconds(2))
    let later = entering(admission, within: .seconds(5))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    let refusal = await #expect(throws: AdmissionRefusal.self) { try await late.value }
    #expect(refusal?.reason == .tooLate)
    #expect(admission.snapshot.waiting == 1)
    // The alarm is set again for the next one.
    await clock.waitForSleepers()
    clock.advance(by: .seconds(3))
    await #expect(throws: AdmissionRefusal.self) { try await later.value }
    first.leave()
    #expect(admission.snapshot.running == 0)
  }

  @Test func anEarlierDeadlineMovesTheAlarm() async throws {
    let admission = admission()
    let first = try await admission.enter(work)
    let patient = entering(admission, within: .seconds(50))
    await clock.waitForSleepers()
    let hasty = entering(admission, within: .seconds(1))
    while clock.remainingSleeps.first.map({ $0 > .seconds(1) }) ?? true { await Task.yield() }
    clock.advance(by: .seconds(1))
    await #expect(throws: AdmissionRefusal.self) { try await hasty.value }
    first.leave()
    try await patient.value.leave()
  }

  @Test func noAlarmIsNeededWithoutDeadlines() async throws {
    let admission = admission()
    let first = try await admission.enter(work)
    let second = entering(admission)
    #expect(clock.sleeperCount == 0)
    first.leave()
    try await second.value.leave()
  }

  @Test func waitingKeepsTheAdmissionAliveAndNothingElseDoes() async throws {
    weak var released: Admission?
    do {
      let admission = admission()
      released = admission
      let first = try await admission.enter(work)
      let waiter = entering(admission, within: .seconds(9))
      await clock.waitForSleepers()
      waiter.cancel()
      _ = await waiter.result
      first.leave()
    }
    // The alarm of the waiter that left is still set, and must not keep anything.
    while released != nil { await Task.yield() }
    #expect(released == nil)
  }

  @Test func aStormOfCancellationsLeavesNothingBehind() async throws {
    let admission = admission {
      $0.queueLength = 10_000
      $0.queueTime = .longest
    }
    let first = try await admission.enter(work)
    let tasks = (0..<2000).map { index in
      Task { [work] in
        // A task may be admitted before its cancellation reaches it.
        try await admission.enter(work, deadline: index % 2 == 0 ? .seconds(100) : nil).leave()
      }
    }
    for (index, task) in tasks.enumerated() where index % 10 != 0 { task.cancel() }
    first.leave()
    var served = 0
    for (index, task) in tasks.enumerated() {
      switch await task.result {
      case .success: served += 1
      case .failure(let error): #expect(error is CancellationError && index % 10 != 0, "\(error)")
      }
    }
    #expect(served >= 200)
    let end = admission.snapshot
    #expect(end.running == 0 && end.waiting == 0 && end.waitingPixels == 0)
    #expect(end.lanes[.normal]?.admitted == served + 1)
  }

  @Test func manyTasksNeverExceedThePlaces() async throws {
    let admission = admission {
      $0.places = 3
      $0.reservedPlaces = 2
      $0.avifPlaces = 1
      $0.queueLength = 10_000
      $0.queueTime = .longest
    }
    let most = Locked((now: [AdmissionLane: Int](), all: 0, avif: 0, dear: 0))
    func note(_ lane: AdmissionLane, _ change: Int) {
      most.withLock { state in
        state.now[lane, default: 0] += change
        let (cheap, normal, avif) = (state.now[.cheap] ?? 0, state.now[.normal] ?? 0, state.now[.avif] ?? 0)
        state.all = max(state.all, cheap + normal + avif)
        state.avif = max(state.avif, avif)
        state.dear = max(state.dear, normal + avif)
      }
    }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<900 {
        group.addTask {
          let lane = AdmissionLane.allCases[index % 3]
          let cost = WorkCost(nanoseconds: lane == .cheap ? 1_000_000 : 50_000_000, encodesAVIF: lane == .avif)
          guard let pass = try? await admission.enter(cost) else { return }
          note(lane, 1)
          await Task.yield()
          note(lane, -1)
          pass.leave()
        }
      }
    }
    let seen = most.withLock { $0 }
    #expect(seen.all <= 5 && seen.dear <= 3 && seen.avif == 1)
    let end = admission.snapshot
    #expect(end.running == 0 && end.waiting == 0)
    #expect(end.lanes.values.reduce(0) { $0 + $1.admitted } == 900)
  }

  @Test func underOverloadTheNewestTaskIsServedFirst() async throws {
    let admission = admission()
    let first = try await admission.enter(work)
    let old = entering(admission)
    clock.advance(by: .milliseconds(150))
    let new = entering(admission)
    first.leave()
    let pass = try await new.value
    #expect(admission.snapshot.waiting == 1)
    pass.leave()
    try await old.value.leave()
  }
}
