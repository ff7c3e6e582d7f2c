import EaselCore
import EaselSupport
import EaselTestSupport
import Testing

@testable import EaselService

struct AdmissionTests {
  private let clock = ManualClock()

  private func admission(_ change: (inout AdmissionSettings) -> Void = { _ in }) -> Admission {
    var settings = AdmissionSettings(processors: 1)
    settings.paces = 1...1
    settings.patience = .seconds(5)
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

  @Test func otherLimitsHoldForThoseWhoWait() async throws {
    var settings = AdmissionSettings(processors: 1)
    settings.paces = 1...1
    let admission = Admission(settings, clock: clock)
    let first = try await admission.enter(work)
    let (second, third, fourth) = (entering(admission), entering(admission), entering(admission))
    #expect(admission.snapshot.waiting == 3)
    settings.places = 3
    admission.follow(settings)
    let passes = [first, try await second.value, try await third.value]
    #expect(admission.snapshot.running == 3 && admission.snapshot.waiting == 1)
    // Fewer places than run: nobody begins before enough have left, and the estimates know it.
    settings.places = 1
    admission.follow(settings)
    passes[0].leave()
    passes[1].leave()
    #expect(admission.snapshot.running == 1 && admission.snapshot.waiting == 1)
    passes[2].leave()
    try await fourth.value.leave()
    #expect(admission.snapshot.running == 0)
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
    let admission = admission {
      $0.queueLength = 1
      $0.patience = .seconds(60)
    }
    let first = try await admission.enter(WorkCost(nanoseconds: 3_000_000_000))
    let second = entering(admission, WorkCost(nanoseconds: 4_000_000_000))
    let refusal = await #expect(throws: AdmissionRefusal.self) { try await admission.enter(work) }
    #expect(refusal == AdmissionRefusal(reason: .queueFull, wait: .seconds(7)))
    #expect(refusal?.message == "There is too much other work, which takes about 7 s. Try again in 7 s.")
    first.leave()
    try await second.value.leave()
  }

  @Test func whoCannotBeServedIsRefusedWithoutWaiting() async throws {
    let admission = admission()
    let first = try await admission.enter(WorkCost(nanoseconds: 6_000_000_000))
    let refusal = await #expect(throws: AdmissionRefusal.self) { try await admission.enter(work) }
    #expect(refusal?.reason == .tooLate && refusal?.retryAfter == 6)
    #expect(clock.sleeperCount == 0 && clock.uptime == .zero)
    first.leave()
    #expect(admission.snapshot.running == 0)
  }

  @Test func waitingKeepsTheAdmissionAliveAndNothingElseDoes() async throws {
    weak var released: Admission?
    do {
      let admission = admission()
      released = admission
      let first = try await admission.enter(work)
      let waiter = entering(admission, within: .seconds(9))
      waiter.cancel()
      _ = await waiter.result
      first.leave()
    }
    while released != nil { await Task.yield() }
    #expect(released == nil)
  }

  @Test func aStormOfCancellationsLeavesNothingBehind() async throws {
    let admission = admission {
      $0.queueLength = 10_000
      $0.patience = .seconds(100_000)
    }
    let first = try await admission.enter(work)
    let tasks = (0..<2000).map { index in
      Task { [work] in
        // A task may be admitted before its cancellation reaches it.
        try await admission.enter(work, deadline: index % 2 == 0 ? .seconds(1000) : nil).leave()
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
      $0.patience = .seconds(100_000)
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

  // MARK: Clients

  private let result = CacheKey(original: "result")

  @Test func workCountsForThoseWhoWantIt() async throws {
    let admission = admission()
    let (greedy, modest) = (AdmissionClient(named: "greedy"), AdmissionClient(named: "modest"))
    let first = try await admission.enter(work)
    let others = (0..<20).map { CacheKey(original: "\($0)") }
    for other in others { admission.add(greedy, wanting: other) }
    let page = others.map { other in
      Task<AdmissionPass, any Error>.started { [work] in try await admission.enter(work, for: other) }
    }
    #expect(admission.snapshot.waitingClients == 1)
    // The last one of the page is wanted by somebody else too, who asks later.
    admission.add(modest, wanting: others[19])
    #expect(admission.snapshot.waitingClients == 2)
    first.leave()
    try await page[0].value.leave()
    let shared = try await page[19].value
    #expect(admission.snapshot.waiting == 18)
    shared.leave()
    for task in page[1..<19] { try await task.value.leave() }
    for other in others { admission.remove(greedy, wanting: other) }
    #expect(admission.wantedCount == 1)
    admission.remove(modest, wanting: others[19])
    #expect(admission.wantedCount == 0)
  }

  @Test func whoAskedBeforeTheWorkBeganCountsAsWell() async throws {
    let admission = admission()
    let (greedy, modest) = (AdmissionClient(named: "greedy"), AdmissionClient(named: "modest"))
    let first = try await admission.enter(work)
    let others = (0..<5).map { CacheKey(original: "\($0)") }
    for other in others + [result] { admission.add(greedy, wanting: other) }
    admission.add(modest, wanting: result)
    let page = (others + [result]).map { other in
      Task<AdmissionPass, any Error>.started { [work] in try await admission.enter(work, for: other) }
    }
    first.leave()
    try await page[0].value.leave()
    try await page[5].value.leave()
    #expect(admission.snapshot.waiting == 3 && admission.snapshot.running == 1)
    for task in page[1..<5] { try await task.value.leave() }
  }

  @Test func whatNobodyWantsAnyMoreIsForgotten() async throws {
    let admission = admission()
    let client = AdmissionClient(named: "client")
    let first = try await admission.enter(work)
    admission.add(client, wanting: result)
    let waiter: Task<AdmissionPass, any Error> = .started { [work, result] in
      try await admission.enter(work, for: result)
    }
    admission.remove(client, wanting: result)
    #expect(admission.wantedCount == 1)
    waiter.cancel()
    _ = await waiter.result
    #expect(admission.wantedCount == 0)
    first.leave()
  }

  @Test func anAddressIsAClientAndHalfOfALongOneToo() {
    func client(_ address: String?) -> AdmissionClient { AdmissionClient(at: address) }
    #expect(client("192.0.2.1") == client("192.0.2.1") && client("192.0.2.1") != client("192.0.2.2"))
    #expect(client("2001:db8::1") == client("2001:db8:0:0:ffff::9"))
    #expect(client("2001:db8::1") != client("2001:db8:0:1::1"))
    #expect(client("::ffff:192.0.2.1") != client("::ffff:192.0.2.2"))
    #expect(client(nil) == .nobody && client("192.0.2.1") != .nobody)
    #expect(client("192.0.2.1") == AdmissionClient(named: "192.0.2.1"))
  }
}
