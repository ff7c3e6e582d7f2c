import EaselTestSupport
import Testing

@testable import EaselCore

/// A place in shared work, taken before its caller begins to wait.
struct SharedWorkPlaceTests {
  private let work = SharedWork<Int, Int>()

  private func seat() -> Seat<Int> { Seat(for: SharedRun()) }

  @Test func aFailureIsThereAtOnceForWhoJoinsTheVeryRun() async throws {
    let place = work.join(1, seat: seat()) { _ in throw ImageError(.network, "Lost.") }
    await #expect(throws: ImageError.self) { try await work.held(by: place) }
    #expect(work.count == 0)
    let later = work.join(place.run, seat: seat())
    await #expect { try await work.held(by: later) } throws: { ($0 as? ImageError)?.code == .network }
    #expect(try await work.value(for: 1, seat: seat()) { _ in 2 } == 2)
  }

  @Test func aFailureIsOverAtOnceForEveryoneElse() async throws {
    await #expect(throws: ImageError.self) {
      try await work.value(for: 1, seat: seat()) { _ in throw ImageError(.network, "Lost.") }
    }
    #expect(work.count == 0)
  }

  @Test func aValueThatNobodyTookIsLetGo() async throws {
    let place = work.join(1, seat: seat()) { _ in 3 }
    #expect(try await work.value(for: 1, seat: seat()) { _ in 4 } == 3)
    #expect(work.count == 1)
    work.giveUp(place)
    #expect(work.count == 0)
  }

  @Test func aValueThatWasTakenStaysWithItsHolder() async throws {
    let place = work.join(1, seat: seat()) { _ in 3 }
    let held = try await work.held(by: place)
    work.giveUp(place)
    #expect(work.count == 1 && held.value == 3)
    held.release()
    #expect(work.count == 0)
  }

  @Test func aReadyValueIsLetGoOnce() async throws {
    let first = work.join(1, seat: seat()) { _ in 3 }
    let held = try await work.held(by: first)
    let second = work.join(1, seat: seat()) { _ in 4 }
    #expect(try await work.held(by: second).value == 3)
    work.giveUp(second)
    #expect(work.count == 1)
    held.release()
    #expect(work.count == 0)
  }

  @Test func givingUpTheOnlyPlaceCancelsTheRun() async throws {
    let gate = AsyncGate()
    let ended = AsyncGate()
    let place = work.join(1, seat: seat()) { run in
      defer { ended.open() }
      try await gate.pass()
      return 1
    }
    work.giveUp(place)
    #expect(work.count == 0)
    try await ended.pass()
    await #expect { try await work.held(by: place) } throws: { ($0 as? ImageError)?.code == .cancelled }
  }
}
