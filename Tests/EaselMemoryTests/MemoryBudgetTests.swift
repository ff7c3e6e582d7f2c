import EaselCore
import EaselMemory
import EaselSupport
import Testing

@Suite struct MemoryBudgetTests {
  @Test func aStoreTakesAQuarterOfWhatThereIs() {
    #expect(MemoryBudget.available > 0)
    #expect(MemoryBudget.available <= ControlGroupMemory()?.limitBytes ?? .max)
    #expect(LRUMemoryStore.Configuration().costLimit == MemoryBudget.available / 4)
    #expect(LRUMemoryStore().configuration.largestShare == 0.5)
  }
}
