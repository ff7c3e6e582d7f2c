import EaselCore
import EaselObserving
import EaselSupport

/// A part of the server's memory.
package enum MemoryPart: String, MetricLabel {
  /// The cache in memory.
  case cache
  /// Buffers of pixels in use.
  case pixels
  /// Buffers of pixels that are kept for the next picture.
  case buffers
  /// The memory that running work has reserved by its estimate.
  case work
  /// Blocks of the C library's heap that are in use.
  case heap
  /// Free blocks that the heap keeps.
  case heapKept = "heap_kept"
}

/// Reads the memory of the server, as far as the program that serves knows it.
package struct MemoryFigures: Sendable {
  /// The bytes of a part; nil for one that nobody counts.
  package var bytes: @Sendable (MemoryPart) -> Int?
  /// The bytes that the server may use; nil for no limit.
  package var limit: @Sendable () -> Int?
  package var pressure: @Sendable () -> MemoryPressure
  /// The control group with the least room; nil if none has a limit.
  package var group: @Sendable () -> ControlGroupMemory.Use?

  package init(
    bytes: @escaping @Sendable (MemoryPart) -> Int? = { _ in nil },
    limit: @escaping @Sendable () -> Int? = { nil }, pressure: @escaping @Sendable () -> MemoryPressure = { .none },
    group: @escaping @Sendable () -> ControlGroupMemory.Use? = { nil }
  ) {
    (self.bytes, self.limit, self.pressure, self.group) = (bytes, limit, pressure, group)
  }

  var metrics: [any Metric] {
    let (bytes, limit, pressure, group) = (bytes, limit, pressure, group)
    return [
      SampledMetric(
        MetricDescription(
          "easel_memory_bytes", .gauge, labels: ["part"],
          "Memory by part: the cache, pixels in use, buffers kept for reuse, the estimate of running work, and blocks of "
            + "the heap that are in use or kept.")
      ) {
        MemoryPart.allCases.compactMap { part in bytes(part).map { ([part.text], .integer($0)) } }
      },
      SampledMetric("easel_memory_limit_bytes", .gauge, "Memory that the server may use, by its settings.") {
        limit().map { .integer($0) }
      },
      SampledMetric(
        "easel_memory_pressure", .gauge,
        "0 while there is memory, 1 while caches and work shrink, 2 while new work is refused."
      ) { .integer(pressure().rawValue) },
      SampledMetric(
        "easel_cgroup_memory_bytes", .gauge, "Memory of the control group that has the least room, without files."
      ) { group().map { .integer($0.usedBytes) } },
      SampledMetric("easel_cgroup_memory_limit_bytes", .gauge, "Limit of that control group.") {
        group().map { .integer($0.limitBytes) }
      },
    ]
  }
}
