import EaselBenchmarkHarness
import Testing

struct MachineTests {
  @Test func theKernelKnowsThisMachine() {
    let machine = Machine.current(swift: "Swift version 6.3")
    #expect(machine.cores > 0)
    #expect(machine.memoryKilobytes > 0)
    #expect(machine.kernel.contains("."))
    #expect(machine.description.hasSuffix(", Swift version 6.3"))
  }
}
