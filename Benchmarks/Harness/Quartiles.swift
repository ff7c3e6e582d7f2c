/// The ends of the middle half of a series of measurements.
package struct Quartiles: Codable, Equatable, Sendable {
  package var lower: Double
  package var upper: Double

  package init(lower: Double, upper: Double) {
    self.lower = lower
    self.upper = upper
  }

  /// The quartiles of at least one value; between two values they are interpolated.
  package init(of values: [Double]) {
    let sorted = values.sorted()
    func value(at share: Double) -> Double {
      let place = share * Double(sorted.count - 1)
      let index = Int(place)
      let next = min(index + 1, sorted.count - 1)
      return sorted[index] + (sorted[next] - sorted[index]) * (place - Double(index))
    }
    self.init(lower: value(at: 0.25), upper: value(at: 0.75))
  }
}
