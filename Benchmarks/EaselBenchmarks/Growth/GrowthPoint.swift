import EaselBenchmarkHarness

/// The cost of one picture among this many.
struct GrowthPoint {
  let series: String
  let count: Int
  let microseconds: Double
  /// The total growth of the memory peak.
  var peakBytes: Int?

  var line: String {
    // Quoted, because names contain commas.
    "\"\(series)\",\(count),\(Figure.fixed(microseconds, places: 4)),\(peakBytes.map { "\($0)" } ?? "")"
  }
}
