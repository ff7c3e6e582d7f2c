import EaselBenchmarkHarness
import Testing

struct SpreadTests {
  @Test(arguments: [
    ([3.0], 3.0, 3.0, 3.0),
    ([2, 1], 1.5, 1, 2),
    ([5, 1, 3], 3, 1, 5),
    ([100, 2, 1, 4], 3, 1, 100),
  ])
  func medianAndEndsAreThoseOfTheSortedValues(values: [Double], median: Double, min: Double, max: Double) {
    #expect(Spread(of: values) == Spread(median: median, min: min, max: max))
  }
}
