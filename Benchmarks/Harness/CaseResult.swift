/// The figures of one case.
package struct CaseResult: Codable, Equatable, Sendable {
  /// One of the two sides, with values per repetition.
  package struct Side: Codable, Equatable, Sendable {
    package var seconds: Spread
    /// Nil if allocations cannot be counted.
    package var allocations: Double?
    package var allocatedBytes: Double?
    /// How often a mutex was taken; nil if that cannot be counted.
    package var locks: Double?
    /// How many of these each repetition takes anew, and so others on other processors too.
    package var commonLocks: Double?
    /// How often the busiest lock was taken.
    package var busiestLock: Double?
    /// The growth of peak resident memory in the first repetition; nil if unknown.
    package var peakBytes: Int?
  }

  package var name: String
  package var group: String
  package var baselineName: String
  package var subject: Side
  package var baseline: Side
  /// The median of the ratios of the pairs, which is least affected when the machine slows down for a while.
  package var ratio: Double
  /// The quartiles of those ratios; nil in reports of earlier versions.
  package var quartiles: Quartiles?
  package var pairs: Int
  package var bar: Double?
  /// The highest allowed peak memory as a multiple of the baseline's.
  package var memoryBar: Double?

  package var meetsBar: Bool { meetsTimeBar && meetsMemoryBar }
  package var meetsTimeBar: Bool { bar.map { ratio <= $0 } ?? true }

  /// A peak that could not be measured does not meet the bar.
  package var meetsMemoryBar: Bool { memoryBar.map { bar in memoryRatio.map { $0 <= bar } ?? false } ?? true }

  package var memoryRatio: Double? {
    guard let own = subject.peakBytes, let other = baseline.peakBytes, other > 0 else { return nil }
    return Double(own) / Double(other)
  }
}
