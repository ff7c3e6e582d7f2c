import EaselTestSupport
import Testing

@testable import EaselCore

/// A place in shared work that is taken before anyone waits at it.
struct SharedWorkPlaceTests {
  private let work = SharedWork<Int, Int>()

  private func seat(keepsFailure: Bool = false) -> Seat<Int> { Seat(for: SharedRun(), keepsFailure: keepsFailure) }

  @Test func aFailureStaysUntilThePlaceIsGivenUp() async throws {
    let place = work.join(1, seat: seat(keepsFailure: true)) { _ in throw ImageError(.network, "Lost.") }
    await #expect(throws: ImageError.self) { try await work.held(at: place) }
    #expect(work.count == 1)
    let failure = await #expect(throws: ImageError.self) { try await work.value(for: 1, seat: seat()) { _ in 2 } }
    #expect(failure?.code == .network)
    work.giveUp(place)
    #expect(work.count == 0)
    #expect(try await work.value(for: 1, seat: seat()) { _ in 2 } == 2)
  }

  @Test func withoutSuchAPlaceAFailureIsOverAtOnce() async throws {
    await #expect(throws: ImageError.self) {
      try await work.value(for: 1, seat: seat()) { _ in throw ImageError(.network, "Lost.") }
    }
    #expect(work.count == 0)
  }

  @Test func aValueThatNobodyTookIsLetGo() async throws {
    let place = work.join(1, seat: seat(keepsFailure: true)) { _ in 3 }
    #expect(try await work.value(for: 1, seat: seat()) { _ in 4 } == 3)
    #expect(work.count == 1)
    work.giveUp(place)
    #expect(work.count == 0)
  }

  @Test func aValueThatWasTakenStaysWithItsHolder() async throws {
    let place = work.join(1, seat: seat(keepsFailure: true)) { _ in 3 }
    let held = try await work.held(at: place)
    work.giveUp(place)
    #expect(work.count == 1 && held.value == 3)
    held.release()
    #expect(work.count == 0)
  }

  @Test func aReadyValueIsLetGoOnce() async throws {
    let first = work.join(1, seat: seat()) { _ in 3 }
    let held = try await work.held(at: first)
    let second = work.join(1, seat: seat()) { _ in 4 }
    #expect(try await work.held(at: second).value == 3)
    work.giveUp(second)
    #expect(work.count == 1)
    held.release()
    #expect(work.count == 0)
  }

  @Test func givingUpTheOnlyPlaceCancelsTheRun() async throws {
    let gate = AsyncGate()
    let ended = AsyncGate()
    let place = work.join(1, seat: seat(keepsFailure: true)) { run in
      defer { ended.open() }
      try await gate.pass()
      return 1
    }
    work.giveUp(place)
    #expect(work.count == 0)
    try await ended.pass()
    await #expect { try await work.held(at: place) } throws: { ($0 as? ImageError)?.code == .cancelled }
  }
}
