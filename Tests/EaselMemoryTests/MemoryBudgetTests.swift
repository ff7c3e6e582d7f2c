import EaselMemory
import FoundationEssentials
import Testing

@Suite struct MemoryBudgetTests {
  @Test func theGroupAndThoseAroundItAllCount() throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("easel-groups-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let group = root.appendingPathComponent("outer/inner")
    try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
    try Data("max\n".utf8).write(to: group.appendingPathComponent("memory.max"))
    try Data("1048576\n".utf8).write(to: root.appendingPathComponent("outer/memory.max"))
    try Data("4194304\n".utf8).write(to: root.appendingPathComponent("memory.max"))
    let limits = MemoryBudget.groupLimits(from: group.appendingPathComponent("memory.max").path, root: root.path)
    #expect(limits == [1_048_576, 4_194_304])
  }

  @Test func aStoreTakesAQuarterOfWhatThereIs() {
    #expect(MemoryBudget.available > 0)
    #expect(LRUMemoryStore.Configuration().costLimit == MemoryBudget.available / 4)
    #expect(LRUMemoryStore().configuration.largestShare == 0.5)
  }
}
