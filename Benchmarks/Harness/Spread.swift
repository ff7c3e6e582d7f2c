/// The middle and the ends of a series of measurements.
package struct Spread: Codable, Equatable, Sendable {
  package var median: Double
  package var min: Double
  package var max: Double

  package init(median: Double, min: Double, max: Double) {
    self.median = median
    self.min = min
    self.max = max
  }

  /// The spread of at least one value.
  package init(of values: [Double]) {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    min = sorted[0]
    max = sorted[sorted.count - 1]
  }
}
