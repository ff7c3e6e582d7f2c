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
  package var pairs: Int
  package var bar: Double?

  package var meetsBar: Bool { bar.map { ratio <= $0 } ?? true }
}
