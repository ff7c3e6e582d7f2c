import EaselCore
import EaselSupport
import Testing

@testable import EaselObserving
@testable import EaselService

struct MemoryFiguresTests {
  @Test func partsAndLimitsAreShown() throws {
    let metrics = ServiceMetrics(
      version: "1",
      memory: MemoryFigures(
        bytes: { $0 == .heapKept ? nil : 1000 + $0.rawValue.count }, limit: { 5000 }, pressure: { .tight },
        group: { ControlGroupMemory.Use(usedBytes: 70, limitBytes: 90) }))
    for form in [MetricsText.Form.prometheus, .openMetrics] {
      let read = try MetricsChecker(metrics.text(as: form), isOpenMetrics: form == .openMetrics)
      #expect(read.value("easel_memory_bytes", ["part": "cache"]) == 1005)
      #expect(read.value("easel_memory_bytes", ["part": "pixels"]) == 1006)
      #expect(read.value("easel_memory_bytes", ["part": "heap_kept"]) == nil)
      #expect(read.family("easel_memory_bytes")?.samples.count == MemoryPart.allCases.count - 1)
      #expect(read.value("easel_memory_limit_bytes") == 5000 && read.value("easel_memory_pressure") == 1)
      #expect(read.value("easel_cgroup_memory_bytes") == 70 && read.value("easel_cgroup_memory_limit_bytes") == 90)
    }
  }

  @Test func whatNobodyKnowsIsLeftOut() throws {
    let read = try MetricsChecker(ServiceMetrics(version: "1").text())
    for name in ["easel_memory_bytes", "easel_memory_limit_bytes", "easel_cgroup_memory_bytes"] {
      #expect(try #require(read.family(name)).samples.isEmpty, "\(name)")
    }
    #expect(read.value("easel_memory_pressure") == 0)
  }
}
