import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselService
import EaselFormats

/// The bound on memory as a part of the service.
struct MemoryInServiceTests {
  private func studio(budget: Int) throws -> (ServiceStudio, WorkMemory) {
    let memory = WorkMemory(budget: budget)
    let studio = ServiceStudio { $0.memory = memory }
    studio.order { $0.format = .png }
    try studio.place()
    return (studio, memory)
  }

  @Test func workReservesMemoryWhileItRuns() async throws {
    let (studio, memory) = try studio(budget: 100_000_000)
    let other = try await memory.reserve(WorkFootprint(bytes: 100_000_000))
    let answer = Task { await studio.get() }
    while memory.waiting == 0 { await Task.yield() }
    #expect(studio.count("decoded") == 0)
    #expect(studio.atOnce("/health")?.status == 200)
    other.giveBack()
    #expect(await answer.value.status == 200)
    while memory.reservedBytes > 0 { await Task.yield() }
    #expect(studio.service.admissionSnapshot.running == 0)
  }

  @Test func aPictureThatNeverFitsIsRefusedWithTheReason() async throws {
    let (studio, memory) = try studio(budget: 1_000_000)
    let answer = await studio.get()
    #expect(answer.status == 422 && answer.text.contains("this server has 1 MB for work"))
    #expect(studio.service.metricsText.contains("easel_rejected_total{reason=\"memory\"} 1"))
    #expect(memory.reservedBytes == 0 && studio.service.admissionSnapshot.running == 0)
    #expect(studio.count("decoded") == 0)
  }

  @Test func withoutMemoryOnlyWhatIsMadeGoesOut() async throws {
    let (studio, memory) = try studio(budget: 100_000_000)
    #expect(await studio.get().status == 200)
    studio.order(at: "/other") { $0.format = .webp }
    memory.pressure = .full
    #expect(await studio.get().status == 200)
    let refused = await studio.get("/other")
    #expect(refused.status == 503 && refused.headers["Retry-After"].flatMap { Int($0) }.map { $0 >= 1 } == true)
    #expect(refused.headers["Cache-Control"] == "no-store" && refused.text.contains("too little memory"))
    #expect(studio.service.metricsText.contains("easel_rejected_total{reason=\"memory\"} 1"))
    memory.pressure = .none
    #expect(await studio.get("/other").status == 200)
  }

  @Test func aClientThatLeavesGivesItsPlaceBack() async throws {
    let (studio, memory) = try studio(budget: 100_000_000)
    let other = try await memory.reserve(WorkFootprint(bytes: 100_000_000))
    let client = Task { await studio.get() }
    while memory.waiting == 0 { await Task.yield() }
    client.cancel()
    #expect(await client.value.status == 499)
    while memory.waiting > 0 || studio.service.admissionSnapshot.running > 0 { await Task.yield() }
    other.giveBack()
    #expect(memory.reservedBytes == 0)
  }

  @Test(arguments: [12_000_000, 25_000_000, .max]) func theGateKeepsTheContractOfGates(_ budget: Int) async {
    let gate = MemoryGate(
      memory: WorkMemory(budget: budget), metrics: ServiceMetrics(version: "1"), formats: FormatCards(),
      next: FakeWorkGate(places: 4))
    #expect(await WorkGateContract(gate).check().isEmpty)
  }
}
