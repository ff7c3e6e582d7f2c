import EaselCore
import EaselTestSupport
import Testing

@testable import EaselService

struct WorkMemoryTests {
  private func footprint(_ bytes: Int) -> WorkFootprint { WorkFootprint(bytes: bytes) }

  /// A task that has asked for memory when this returns.
  private func reserving(_ bytes: Int, in memory: WorkMemory) -> Task<MemoryReservation, any Error> {
    .started { try await memory.reserve(WorkFootprint(bytes: bytes)) }
  }

  @Test func workTakesWhatIsThereAndGivesItBack() async throws {
    let memory = WorkMemory(budget: 100)
    let first = try await memory.reserve(footprint(60))
    let second = try await memory.reserve(footprint(40))
    #expect(memory.reservedBytes == 100 && memory.waiting == 0)
    first.giveBack()
    first.giveBack()
    #expect(memory.reservedBytes == 40)
    second.giveBack()
    #expect(memory.reservedBytes == 0)
  }

  @Test func workWaitsUntilItFitsInTheOrderOfItsArrival() async throws {
    let memory = WorkMemory(budget: 100)
    let first = try await memory.reserve(footprint(60))
    let large = reserving(80, in: memory)
    let small = reserving(10, in: memory)
    #expect(memory.waiting == 2, "A small one does not overtake, or a large one would never begin.")
    first.giveBack()
    let both = (try await large.value, try await small.value)
    #expect(memory.reservedBytes == 90 && memory.waiting == 0)
    both.0.giveBack()
    both.1.giveBack()
  }

  @Test func anotherBudgetHoldsForWhatWaits() async throws {
    let memory = WorkMemory(budget: 100)
    let first = try await memory.reserve(footprint(60))
    let second = reserving(60, in: memory)
    #expect(memory.waiting == 1)
    memory.budget = 120
    let both = (first, try await second.value)
    #expect(memory.reservedBytes == 120)
    memory.budget = 50
    let third = reserving(50, in: memory)
    both.0.giveBack()
    #expect(memory.waiting == 1)
    both.1.giveBack()
    try await third.value.giveBack()
    await #expect(throws: MemoryRefusal.neverFits(60, budget: 50)) { try await memory.reserve(footprint(60)) }
  }

  @Test func whatIsTooLargeToShareRunsAlone() async throws {
    let memory = WorkMemory(budget: 1000, sharedBytes: 100)
    let first = try await memory.reserve(footprint(60))
    let large = reserving(500, in: memory)
    let small = reserving(40, in: memory)
    #expect(memory.waiting == 2)
    first.giveBack()
    let alone = try await large.value
    #expect(memory.reservedBytes == 500 && memory.waiting == 1, "The small one waits, though the budget has room.")
    alone.giveBack()
    try await small.value.giveBack()
    await #expect(throws: MemoryRefusal.neverFits(1001, budget: 1000)) { try await memory.reserve(footprint(1001)) }
  }

  @Test func anotherShareHoldsForWhatWaits() async throws {
    let memory = WorkMemory(sharedBytes: 100)
    let first = try await memory.reserve(footprint(60))
    let second = reserving(60, in: memory)
    #expect(memory.waiting == 1)
    memory.sharedBytes = 120
    let both = (first, try await second.value)
    #expect(memory.reservedBytes == 120 && memory.sharedBytes == 120)
    both.0.giveBack()
    both.1.giveBack()
  }

  @Test func aReleasedReservationGivesItsMemoryBack() async throws {
    let memory = WorkMemory(budget: 100)
    var first: MemoryReservation? = try await memory.reserve(footprint(100))
    let second = reserving(100, in: memory)
    #expect(memory.waiting == 1 && first != nil)
    first = nil
    try await second.value.giveBack()
    #expect(memory.reservedBytes == 0)
  }

  @Test func workThatNeverFitsIsRefusedAtOnce() async throws {
    let memory = WorkMemory(budget: 1_500_000)
    await #expect(throws: MemoryRefusal.neverFits(1_500_001, budget: 1_500_000)) {
      try await memory.reserve(footprint(1_500_001))
    }
    #expect(memory.reservedBytes == 0)
    let error = MemoryRefusal.neverFits(612_000_001, budget: 200_000_000).imageError
    #expect(error.code == .limitExceeded && error.isTemporary, "A smaller result may fit.")
    #expect(
      error.message == "The picture takes about 613 MB of memory to make, and this server has 200 MB for work.")
    #expect(throws: Never.self) { try WorkMemory().check(footprint(.max)) }
  }

  @Test func cancelledWorkLeavesTheLine() async throws {
    let memory = WorkMemory(budget: 100)
    let first = try await memory.reserve(footprint(100))
    let cancelled = reserving(100, in: memory)
    let next = reserving(100, in: memory)
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(memory.waiting == 1)
    first.giveBack()
    try await next.value.giveBack()
    #expect(memory.reservedBytes == 0)
  }

  @Test func underPressureHalfIsUsedButOneAlwaysRuns() async throws {
    let memory = WorkMemory(budget: 100)
    memory.pressure = .tight
    let large = try await memory.reserve(footprint(90))
    let small = reserving(10, in: memory)
    #expect(memory.waiting == 1)
    large.giveBack()
    let first = try await small.value
    let second = try await memory.reserve(footprint(40))
    let third = reserving(10, in: memory)
    #expect(memory.waiting == 1 && memory.reservedBytes == 50)
    memory.pressure = .none
    try await third.value.giveBack()
    first.giveBack()
    second.giveBack()
  }

  @Test func requestsAreRefusedOnlyWhenNothingIsLeft() throws {
    let memory = WorkMemory(budget: 100)
    for pressure in [MemoryPressure.none, .tight] {
      memory.pressure = pressure
      try memory.beginRequest()
    }
    memory.pressure = .full
    #expect(throws: MemoryRefusal.tooLittleNow) { try memory.beginRequest() }
    #expect(MemoryRefusal.tooLittleNow.imageError.code == .overloaded)
    memory.pressure = .none
    #expect(throws: Never.self) { try memory.beginRequest() }
  }

  @Test func everyRequestAndEveryPieceOfWorkIsActivity() async throws {
    let memory = WorkMemory(budget: 100)
    var seen: Set<Int> = [memory.activity]
    try memory.beginRequest()
    seen.insert(memory.activity)
    let reservation = try await memory.reserve(footprint(1))
    seen.insert(memory.activity)
    reservation.giveBack()
    seen.insert(memory.activity)
    #expect(seen.count == 4)
  }
}
