import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Many callers share one run.
struct SharedWorkTests {
  private final class Token: Sendable {}
  private struct Mishap: Error, Equatable {}
  private typealias Work = SharedWork<String, Token>

  private let work = Work()
  private let gate = AsyncGate()
  private let starts = Watched(0)
  private let runs = Watched<[SharedRun]>([])

  private func place(
    _ priority: LoadPriority.Live = LoadPriority.Live(), byteLimit: Int = .max, wantsPreviews: Bool = false,
    listener: (@Sendable (RunEvent) -> Void)? = nil
  ) -> RunPlace {
    let wish = RunDemand(store: .memory, originalStore: [], wantsPreviews: wantsPreviews)
    return RunPlace(priority: priority, wish: wish, byteLimit: byteLimit, listener: listener)
  }

  /// A caller; it has joined when this returns.
  private func caller(_ place: RunPlace? = nil, failing: Bool = false) -> Task<Token, any Error> {
    let place = place ?? self.place()
    return Task.started { try await work.value(for: "a", place: place) { try await run($0, failing: failing) } }
  }

  private func run(_ run: SharedRun, failing: Bool) async throws -> Token {
    starts.withLock { $0 += 1 }
    runs.withLock { $0.append(run) }
    try await gate.pass()
    if failing { throw Mishap() }
    return Token()
  }

  private func firstRun() async -> SharedRun {
    await runs.wait { !$0.isEmpty }
    return runs.withLock { $0[0] }
  }

  @Test func aHundredCallersShareOneRun() async throws {
    let callers = (0..<100).map { _ in caller() }
    #expect(work.count == 1)
    gate.open()
    let first = try await callers[0].value
    for caller in callers { #expect(try await caller.value === first) }
    #expect(starts.withLock { $0 } == 1)
    #expect(work.count == 0)
  }

  @Test func aFailureAnswersEachOfElevenCallersOnceAndLeavesNothing() async throws {
    let callers = (0..<11).map { _ in caller(failing: true) }
    gate.open()
    for caller in callers { await #expect(throws: Mishap.self) { try await caller.value } }
    #expect(starts.withLock { $0 } == 1)
    #expect(work.count == 0)
  }

  @Test func aRunThatIsKeptAnswersThoseWhoComeAfterItsEnd() async throws {
    gate.open()
    work.keep("a")
    let first = try await caller().value
    #expect(work.count == 0)
    #expect(try await caller().value === first)
    work.keep("a")
    work.letGo(of: "a")
    #expect(try await caller().value === first && starts.withLock { $0 } == 1)
    work.letGo(of: "a")
    #expect(try await caller().value !== first && starts.withLock { $0 } == 2)
  }

  @Test func theErrorOfAKeptRunIsThatOfAllWhoComeLater() async throws {
    gate.open()
    work.keep("a")
    for _ in 0..<3 { await #expect(throws: Mishap.self) { try await caller(failing: true).value } }
    #expect(starts.withLock { $0 } == 1 && work.count == 0)
    work.letGo(of: "a")
    _ = try await caller().value
  }

  @Test func aRunThatBeganBeforeIsKeptOnceSomebodyJoinsIt() async throws {
    let before = caller()
    work.keep("a")
    let joining = caller()
    gate.open()
    let first = try await before.value
    #expect(try await joining.value === first)
    #expect(try await caller().value === first && starts.withLock { $0 } == 1)
    work.letGo(of: "a")
  }

  @Test func aKeptRunThatWasForgottenIsStartedAnew() async throws {
    gate.open()
    work.keep("a")
    let first = try await caller().value
    work.forgetAll { $0 == "a" }
    #expect(try await caller().value !== first)
    work.letGo(of: "a")
  }

  @Test func aRunThatNeverSuspendsLeavesNothing() async throws {
    for _ in 0..<200 {
      _ = try await work.value(for: "a", place: place()) { _ in Token() }
      _ = try? await work.value(for: "a", place: place()) { _ in throw Mishap() }
      #expect(work.count == 0)
    }
  }

  @Test func everyCallerIsAnsweredHoweverJoiningAndFinishingMeet() async throws {
    let answers = try await withThrowingTaskGroup(of: Token.self) { group in
      for index in 0..<repetitions(20_000, inDebug: 3000) {
        group.addTask {
          if index % 3 == 0 { await Task.yield() }
          return try await work.value(for: "a", place: place()) { _ in
            await Task.yield()
            return Token()
          }
        }
      }
      return try await group.reduce(into: 0) { count, _ in count += 1 }
    }
    #expect(answers == repetitions(20_000, inDebug: 3000))
    #expect(work.count == 0)
  }

  @Test func cancellingAndFinishingAtOnceGiveOneAnswer() async {
    for index in 0..<repetitions(5000, inDebug: 800) {
      let places = (0..<3).map { _ in place() }
      let tasks = places.map { place in
        Task.detached {
          try await work.value(for: "a", place: place) { _ in
            if index % 2 == 0 { await Task.yield() }
            return Token()
          }
        }
      }
      tasks[0].cancel()
      places[1].cancel()
      for task in tasks {
        if case .failure(let error) = await task.result { #expect((error as? ImageError)?.isCancellation == true) }
      }
      #expect(work.count == 0)
    }
  }

  @Test func oneWhoLeavesIsAnsweredAtOnceAndTheOthersGoOn() async throws {
    let leaving = caller()
    let staying = caller()
    let run = await firstRun()
    leaving.cancel()
    await #expect(throws: ImageError.self) { try await leaving.value }
    #expect(!run.cancellation.isCancelled)
    gate.open()
    _ = try await staying.value
    #expect(starts.withLock { $0 } == 1)
  }

  @Test func theLastOneToLeaveCancelsTheRun() async throws {
    let callers = [caller(), caller()]
    let run = await firstRun()
    await gate.waitForWaiters()
    for caller in callers { caller.cancel() }
    for caller in callers { await #expect(throws: ImageError.self) { try await caller.value } }
    #expect(run.cancellation.isCancelled)
    #expect(work.count == 0)
    let next = caller()
    gate.open()
    _ = try await next.value
    #expect(starts.withLock { $0 } == 2)
  }

  @Test func whoGaveUpBeforeJoiningStartsNothing() async {
    let place = place()
    place.cancel()
    let caller = caller(place)
    await #expect(throws: ImageError.self) { try await caller.value }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await work.value(for: "a", place: self.place()) { try await run($0, failing: false) }
    }
    await #expect(throws: ImageError.self) { try await task.value }
    #expect(starts.withLock { $0 } == 0)
    #expect(work.count == 0)
  }

  @Test func theRunIsAsUrgentAsItsMostUrgentCaller() async throws {
    let low = LoadPriority.Live(.low)
    let high = LoadPriority.Live(.high)
    let first = caller(place(low))
    let run = await firstRun()
    #expect(run.priority.value == .low)
    let second = caller(place(high))
    #expect(run.priority.value == .high)
    low.set(.veryHigh)
    #expect(run.priority.value == .veryHigh)
    low.set(.veryLow)
    #expect(run.priority.value == .high)
    second.cancel()
    _ = await second.result
    #expect(run.priority.value == .veryLow)
    high.set(.veryHigh)
    #expect(run.priority.value == .veryLow)
    gate.open()
    _ = try await first.value
  }

  @Test func ofManyChangesAtOnceTheHighestThatRemainsCounts() async throws {
    let priorities = (0..<8).map { _ in LoadPriority.Live(.normal) }
    let callers = priorities.map { caller(place($0)) }
    let run = await firstRun()
    for round in 0..<repetitions(300, inDebug: 60) {
      await withTaskGroup(of: Void.self) { group in
        for (index, priority) in priorities.enumerated() {
          group.addTask { for step in 0..<5 { priority.set(LoadPriority(rawValue: (round + index + step) % 5)!) } }
        }
      }
      #expect(run.priority.value == priorities.map(\.value).max())
    }
    gate.open()
    for caller in callers { _ = try await caller.value }
  }

  @Test func onlyThoseWhoseLimitIsExceededAreFailed() async throws {
    let small = caller(place(byteLimit: 10))
    let middle = caller(place(byteLimit: 20))
    let large = caller(place(byteLimit: 30))
    let run = await firstRun()
    #expect(run.byteLimit == 30)
    _ = run.limit(exceededBy: 10)
    _ = run.limit(exceededBy: 11)
    await #expect { try await small.value } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    _ = run.limit(exceededBy: 20)
    _ = run.limit(exceededBy: 25)
    await #expect { try await middle.value } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    gate.open()
    _ = try await large.value
    #expect(work.count == 0)
  }

  @Test func whoJoinsWithALimitThatIsExceededAlreadyIsFailedAtOnce() async throws {
    let large = caller(place(byteLimit: 30))
    let run = await firstRun()
    _ = run.limit(exceededBy: 25)
    let late = caller(place(byteLimit: 20))
    await #expect { try await late.value } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    gate.open()
    _ = try await large.value
  }

  @Test func aFinishedValueIsRefusedToWhomItIsTooLarge() async throws {
    gate.open()
    let joined = work.join("a", place: place()) { run in
      _ = run.limit(exceededBy: 25)
      return Token()
    }
    _ = try await joined.value
    let late = caller(place(byteLimit: 20))
    await #expect { try await late.value } throws: { ($0 as? ImageError)?.code == .limitExceeded }
    #expect(work.count == 1)
    joined.end()
    #expect(work.count == 0)
  }

  @Test func oneWhoComesAfterItWasTooMuchForAllOthersMayStillAllowIt() {
    let run = SharedRun()
    let small = place(byteLimit: 10)
    // This place cannot leave the run before it has settled, so the others come before the run is cancelled.
    _ = run.admit(small, holds: false)
    #expect(run.limit(exceededBy: 10) == nil)
    #expect(!run.allowsMore(than: 10))
    #expect(run.limit(exceededBy: 20) == 10)
    #expect(small.isAnswered)
    run.join(place(byteLimit: 19))
    #expect(!run.allowsMore(than: 30))
    run.join(place(byteLimit: 20))
    #expect(run.allowsMore(than: 30))
    run.emit(.progress(received: 0, expected: nil))
    #expect(!run.allowsMore(than: 30))
  }

  @Test func theWishIsTheUnionOfThoseWhoWait() async throws {
    let first = caller(place(byteLimit: 5))
    let run = await firstRun()
    #expect(!run.wish.wantsPreviews)
    let second = caller(place(byteLimit: 9, wantsPreviews: true))
    #expect(run.wish.wantsPreviews)
    #expect(run.byteLimit == 9)
    second.cancel()
    _ = await second.result
    #expect(run.wish.store == .memory)
    #expect(!run.wish.wantsPreviews)
    #expect(run.byteLimit == 5)
    gate.open()
    _ = try await first.value
  }

  @Test func aLateCallerIsToldWhatHappenedFirst() async throws {
    let first = caller()
    let run = await firstRun()
    let began = Date(timeIntervalSince1970: 1)
    run.report(.cacheMiss, began: began)
    run.emit(.progress(received: 0, expected: nil))
    run.emit(.progress(received: 5, expected: 9))
    run.emit(.progress(received: 7, expected: 9))
    let heard = Watched<[String]>([])
    let late = caller(place { event in heard.withLock { $0.append("\(event)") } })
    run.emit(.progress(received: 9, expected: 9))
    let expected = [
      RunEvent.report(.cacheMiss, in: run.name, began: began), .progress(received: 0, expected: nil),
      .progress(received: 7, expected: 9),
      .progress(received: 9, expected: 9),
    ]
    #expect(heard.withLock { $0 } == expected.map { "\($0)" })
    gate.open()
    _ = try await (first.value, late.value)
  }

  @Test func eventsReachAListenerInTheirOrderHoweverMuchIsGoingOn() async throws {
    let first = caller()
    let run = await firstRun()
    let counts = Watched<[[Int]]>([])
    let tasks = (0..<20).map { index in
      Task.detached {
        let heard = Watched<[Int]>([])
        let place = place { event in
          if case .progress(let received, .some) = event { heard.withLock { $0.append(received) } }
        }
        for _ in 0..<index { await Task.yield() }
        _ = try await work.value(for: "a", place: place) { _ in Token() }
        counts.withLock { $0.append(heard.withLock { $0 }) }
      }
    }
    for received in 1...200 {
      run.emit(.progress(received: received, expected: 200))
      await Task.yield()
    }
    gate.open()
    _ = try await first.value
    for task in tasks { try await task.value }
    for heard in counts.withLock({ $0 }) { #expect(heard == heard.sorted()) }
  }

  private func join(_ place: RunPlace? = nil, failing: Bool = false) -> JoinedRun<Token> {
    work.join("a", place: place ?? self.place()) { try await run($0, failing: failing) }
  }

  @Test func aValueCanBeJoinedWhileItIsHeldAndNotAfterwards() async throws {
    gate.open()
    let first = join()
    let token = try await first.value
    let second = join()
    #expect(try await second.value === token)
    first.end()
    first.end()
    #expect(work.count == 1)
    second.end()
    #expect(work.count == 0)
    let third = join()
    #expect(try await third.value !== token)
    third.end()
    #expect(starts.withLock { $0 } == 2)
  }

  @Test func aRunThatIsOverStillAnswersThoseWhoKnowIt() async throws {
    gate.open()
    let good = join()
    let token = try await good.value
    good.end()
    #expect(work.count == 0)
    #expect(try await good.joined(at: place()).value === token)
    let bad = join(failing: true)
    await #expect(throws: Mishap.self) { try await bad.value }
    await #expect(throws: Mishap.self) { try await bad.joined(at: place()).value }
    #expect(starts.withLock { $0 } == 2)
    #expect(work.count == 0)
  }

  @Test func aRunThatWasCancelledAnswersThoseWhoKnowItWithThat() async throws {
    let own = place()
    let joined = join(own)
    own.cancel()
    await #expect(throws: ImageError.self) { try await joined.value }
    await #expect { try await joined.joined(at: place()).value } throws: {
      ($0 as? ImageError)?.isCancellation == true
    }
    #expect(work.count == 0)
  }

  @Test func noPlaceAndNoValueOutlivesItsUse() async throws {
    weak var token: Token?
    weak var left: RunPlace?
    weak var stayed: RunPlace?
    do {
      let places = [place(), place()]
      left = places[0]
      stayed = places[1]
      let callers = places.map { caller($0) }
      _ = await firstRun()
      callers[0].cancel()
      _ = await callers[0].result
      gate.open()
      token = try await callers[1].value
    }
    runs.withLock { $0 = [] }
    #expect(token == nil)
    #expect(left == nil)
    #expect(stayed == nil)
  }

  @Test func aListenerMayComeBackIntoTheWork() async throws {
    let first = caller()
    let run = await firstRun()
    let counts = Watched<[Int]>([])
    let other = LoadPriority.Live()
    let late = caller(
      place(other) { _ in
        counts.withLock { $0.append(work.count) }
        other.set(.high)
      })
    run.emit(.progress(received: 1, expected: 2))
    #expect(counts.withLock { $0 }.last == 1)
    #expect(run.priority.value == .high)
    gate.open()
    _ = try await (first.value, late.value)
  }
}
