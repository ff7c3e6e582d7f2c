/// What was measured of one case.
package struct CaseResult: Codable, Equatable, Sendable {
  /// One of the two sides, with values per repetition.
  package struct Side: Codable, Equatable, Sendable {
    package var seconds: Spread
    /// Absent where allocations cannot be counted.
    package var allocations: Double?
    package var allocatedBytes: Double?
    /// By how much the first repetition raised the peak of resident memory; absent where that cannot be known.
    package var peakBytes: Int?
  }

  package var name: String
  package var group: String
  package var baselineName: String
  package var subject: Side
  package var baseline: Side
  /// The median of the ratios within each pair, which a machine that slows down and recovers disturbs least.
  package var ratio: Double
  /// How far those ratios differ; absent from what earlier versions wrote.
  package var quartiles: Quartiles?
  package var pairs: Int
  package var bar: Double?
  /// The most that the peak of memory may be, as a multiple of the baseline's.
  package var memoryBar: Double?

  package var meetsBar: Bool { meetsTimeBar && meetsMemoryBar }
  package var meetsTimeBar: Bool { bar.map { ratio <= $0 } ?? true }

  /// A peak that nobody could measure keeps no promise.
  package var meetsMemoryBar: Bool { memoryBar.map { bar in memoryRatio.map { $0 <= bar } ?? false } ?? true }

  package var memoryRatio: Double? {
    guard let own = subject.peakBytes, let other = baseline.peakBytes, other > 0 else { return nil }
    return Double(own) / Double(other)
  }
}
