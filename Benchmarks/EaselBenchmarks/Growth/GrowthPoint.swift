import EaselBenchmarkHarness

/// What one picture cost when there were so many.
struct GrowthPoint {
  let series: String
  let count: Int
  let microseconds: Double
  /// By how much the peak of memory rose in all.
  var peakBytes: Int?

  var line: String {
    // In quotes, since names have commas.
    "\"\(series)\",\(count),\(Figure.fixed(microseconds, places: 4)),\(peakBytes.map { "\($0)" } ?? "")"
  }
}
