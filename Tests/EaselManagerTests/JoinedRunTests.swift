import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselManager

/// A run that was joined before its caller begins to wait.
struct JoinedRunTests {
  private let work = SharedWork<Int, Int>()

  private func place() -> RunPlace { RunPlace(for: SharedRun()) }

  @Test func aFailureIsThereAtOnceForWhoJoinsTheVeryRun() async throws {
    let joined = work.join(1, place: place()) { _ in throw ImageError(.network, "Lost.") }
    await #expect(throws: ImageError.self) { try await joined.value }
    #expect(work.count == 0)
    let later = joined.joined(at: place())
    await #expect { try await later.value } throws: { ($0 as? ImageError)?.code == .network }
    #expect(try await work.value(for: 1, place: place()) { _ in 2 } == 2)
  }

  @Test func aFailureIsOverAtOnceForEveryoneElse() async throws {
    await #expect(throws: ImageError.self) {
      try await work.value(for: 1, place: place()) { _ in throw ImageError(.network, "Lost.") }
    }
    #expect(work.count == 0)
  }

  @Test func aValueThatNobodyTookIsLetGo() async throws {
    let joined = work.join(1, place: place()) { _ in 3 }
    #expect(try await work.value(for: 1, place: place()) { _ in 4 } == 3)
    #expect(work.count == 1)
    joined.end()
    #expect(work.count == 0)
  }

  @Test func aValueThatWasTakenCanBeJoinedUntilItsHolderEnds() async throws {
    let joined = work.join(1, place: place()) { _ in 3 }
    #expect(try await joined.value == 3)
    #expect(try await joined.value == 3)
    #expect(work.count == 1)
    joined.end()
    #expect(work.count == 0)
  }

  @Test func aReadyValueIsLetGoOnce() async throws {
    let first = work.join(1, place: place()) { _ in 3 }
    #expect(try await first.value == 3)
    let second = work.join(1, place: place()) { _ in 4 }
    #expect(try await second.value == 3)
    second.end()
    second.end()
    #expect(work.count == 1)
    first.end()
    #expect(work.count == 0)
  }

  @Test func endingTheOnlyJoinedRunCancelsIt() async throws {
    let gate = AsyncGate()
    let ended = AsyncGate()
    let joined = work.join(1, place: place()) { run in
      defer { ended.open() }
      try await gate.pass()
      return 1
    }
    joined.end()
    #expect(work.count == 0)
    try await ended.pass()
    await #expect { try await joined.value } throws: { ($0 as? ImageError)?.code == .cancelled }
  }

  @Test func aRunThatJoinedLaterIsAskedForItsWishes() async throws {
    let outer = SharedRun()
    let gate = AsyncGate()
    let joined = work.join(1, place: RunPlace(for: outer)) { run in
      try await gate.pass()
      return run.wish.wantsPreviews ? 1 : 0
    }
    await gate.waitForWaiters()
    outer.join(RunPlace(priority: nil, wish: RunDemand(store: [], originalStore: [], wantsPreviews: true)))
    gate.open()
    #expect(try await joined.value == 1)
    joined.end()
  }
}
