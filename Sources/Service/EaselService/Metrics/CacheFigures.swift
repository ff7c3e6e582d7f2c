import EaselObserving

/// Reads what the layers of the cache hold, as far as the program that serves knows it.
package struct CacheFigures: Sendable {
  /// The content of a layer.
  package struct Content: Hashable, Sendable {
    let bytes: Int
    let entries: Int

    package init(bytes: Int, entries: Int) { (self.bytes, self.entries) = (bytes, entries) }
  }

  /// The content of a layer; nil for one that there is not, or that cannot tell.
  package var content: @Sendable (CacheLayerLabel) -> Content?
  /// The entries of memory that were evicted so far; nil if nobody counts them.
  package var evictions: @Sendable () -> Int?

  package init(
    content: @escaping @Sendable (CacheLayerLabel) -> Content? = { _ in nil },
    evictions: @escaping @Sendable () -> Int? = { nil }
  ) {
    (self.content, self.evictions) = (content, evictions)
  }

  var metrics: [any Metric] {
    let (content, evictions) = (content, evictions)
    func gauge(_ name: String, _ help: String, _ value: @escaping @Sendable (Content) -> Int) -> any Metric {
      SampledMetric(MetricDescription(name, .gauge, labels: ["layer"], help)) {
        CacheLayerLabel.allCases.compactMap { layer in content(layer).map { ([layer.text], .integer(value($0))) } }
      }
    }
    return [
      gauge("easel_cache_bytes", "Bytes that a layer of the cache holds.") { $0.bytes },
      gauge("easel_cache_entries", "Entries that a layer of the cache holds.") { $0.entries },
      SampledMetric(
        "easel_memory_evictions_total", .counter,
        "Entries that left memory because it was full or the system was short of it."
      ) { evictions().map { .integer($0) } },
    ]
  }
}
