/// The figures of a server, computed from its metrics at two moments.
struct ServerFigures: Sendable {
  /// The times that requests spent in a stage.
  struct Times: Sendable {
    let stage: String
    /// The number of requests.
    let count: Double
    /// The median time; nil without requests.
    let median: Double?
    let p99: Double?
  }

  static let stages = ["total", "queue", "lookup", "download", "decode", "transform", "encode", "send"]
  /// The stages whose running requests the server counts.
  static let runningStages = ["total", "queue", "lookup", "download", "work", "send"]
  static let layers = ["memory", "disk", "shared"]

  /// The seconds between the moments; nil for a single moment, which gives no rates.
  let seconds: Double?
  let now: MetricsReading
  private let before: MetricsReading?

  /// Computes the figures since `before`, or since the start of the server.
  init(_ now: MetricsReading, since before: MetricsReading? = nil, seconds: Double? = nil) {
    self.now = now
    // A restarted server counts from zero.
    let isSame = before?.value("process_start_time_seconds") == now.value("process_start_time_seconds")
    self.before = isSame ? before : nil
    self.seconds = isSame ? seconds.flatMap { $0 > 0 ? $0 : nil } : nil
  }

  /// The growth of a counter.
  func growth(_ name: String, _ labels: [String: String] = [:]) -> Double {
    max(0, now.sum(name, labels) - (before?.sum(name, labels) ?? 0))
  }

  /// The growth of a counter per second.
  func rate(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    seconds.map { growth(name, labels) / $0 }
  }

  func times(_ stage: String) -> Times {
    let labels = ["stage": stage]
    let old = before?.buckets("easel_request_seconds", labels) ?? []
    let buckets = now.buckets("easel_request_seconds", labels).enumerated().map { index, bucket in
      (end: bucket.end, count: max(0, bucket.count - (old.count > index ? old[index].count : 0)))
    }
    return Times(
      stage: stage, count: buckets.last?.count ?? 0, median: Self.quantile(0.5, buckets),
      p99: Self.quantile(0.99, buckets))
  }

  /// The value below which a share of the values lies, interpolated linearly within its bucket.
  ///
  /// The end of the last finite bucket stands for all values above it.
  static func quantile(_ share: Double, _ buckets: [(end: Double, count: Double)]) -> Double? {
    guard let total = buckets.last?.count, total > 0 else { return nil }
    let rank = share * total
    var (start, below) = (0.0, 0.0)
    for bucket in buckets {
      if bucket.count >= rank, bucket.count > below {
        return bucket.end.isFinite ? start + (bucket.end - start) * (rank - below) / (bucket.count - below) : start
      }
      (start, below) = (bucket.end.isFinite ? bucket.end : start, bucket.count)
    }
    return start
  }

  /// The share of lookups in a layer that found something; nil without lookups.
  func hitShare(_ layer: String) -> Double? {
    let all = growth("easel_cache_total", ["layer": layer])
    return all > 0 ? growth("easel_cache_total", ["layer": layer, "result": "hit"]) / all : nil
  }

  /// The share of a processor that the server has used.
  var processorShare: Double? { rate("process_cpu_seconds_total") }

  /// The answers by status, without statuses that never occurred.
  var statuses: [(status: String, count: Double, rate: Double?)] {
    now.sums("easel_requests_total", by: "status").keys.sorted().map { status in
      (
        status, now.sum("easel_requests_total", ["status": status]), rate("easel_requests_total", ["status": status])
      )
    }
  }

  var json: JSON {
    [
      "version": .optional(now.label("version", of: "easel_build_info")), "seconds": Self.number(seconds),
      "requests": .integer(.bounded(now.sum("easel_requests_total"))),
      "requestsPerSecond": Self.number(rate("easel_requests_total")),
      "statuses": .object(statuses.map { JSON.Field(name: $0.status, value: .integer(.bounded($0.count))) }),
      "inFlight": .object(
        Self.runningStages.map { stage in
          JSON.Field(name: stage, value: .integer(.bounded(now.sum("easel_in_flight", ["stage": stage]))))
        }),
      "queueCostPixels": Self.number(now.value("easel_queue_cost_pixels")),
      "hitShares": .object(Self.layers.map { JSON.Field(name: $0, value: Self.number(hitShare($0))) }),
      "times": .object(
        Self.stages.map { stage in
          let times = times(stage)
          return JSON.Field(
            name: stage,
            value: [
              "count": .integer(.bounded(times.count)), "p50Ms": Self.number(times.median.map { $0 * 1000 }),
              "p99Ms": Self.number(times.p99.map { $0 * 1000 }),
            ])
        }),
      "rejected": .integer(.bounded(now.sum("easel_rejected_total"))),
      "sentBytes": .integer(.bounded(now.sum("easel_result_bytes_total"))),
      "loadedBytes": .integer(.bounded(now.sum("easel_source_bytes_total"))),
      "residentBytes": Self.number(now.value("process_resident_memory_bytes")),
      "processorShare": Self.number(processorShare),
    ]
  }

  private static func number(_ value: Double?) -> JSON {
    value.map { .number(($0 * 1000).rounded() / 1000) } ?? .null
  }
}

extension Int {
  /// The integer part of a number from a server, which may send any number.
  static func bounded(_ value: Double) -> Int { value.isNaN ? 0 : Int(Swift.min(Swift.max(-1e15, value), 1e15)) }
}
