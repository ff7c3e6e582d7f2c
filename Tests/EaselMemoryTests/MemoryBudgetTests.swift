import EaselCore
import EaselMemory
import EaselSupport
import Testing

@Suite struct MemoryBudgetTests {
  @Test func aStoreTakesAQuarterOfWhatThereIs() {
    #expect(LRUMemoryStore.Budget.available > 0)
    #expect(LRUMemoryStore.Budget.available <= ControlGroupMemory()?.limitBytes ?? .max)
    #expect(LRUMemoryStore.Configuration().costLimit == LRUMemoryStore.Budget.available / 4)
    #expect(LRUMemoryStore().configuration.largestShare == 0.5)
  }
}
