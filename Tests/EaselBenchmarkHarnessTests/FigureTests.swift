import EaselBenchmarkHarness
import Testing

struct FigureTests {
  @Test(arguments: [
    (0.0, 2, "0.00"), (1.005, 1, "1.0"), (2.999, 2, "3.00"), (0.05, 2, "0.05"), (-1.25, 1, "-1.3"), (-0.001, 2, "0.00"),
    (41.5, 0, "42"), (.infinity, 2, "inf"),
  ])
  func fixedRoundsToThePlacesAskedFor(value: Double, places: Int, text: String) {
    #expect(Figure.fixed(value, places: places) == text)
  }

  @Test(arguments: [
    (2.5e-9, "2.50 ns"), (999.4e-9, "999 ns"), (999.6e-9, "1.00 us"), (12.34e-6, "12.3 us"), (5e-3, "5.00 ms"),
    (99.96e-3, "100 ms"), (1.5, "1.50 s"), (120, "120 s"),
  ])
  func timeIsInTheUnitThatKeepsThreeDigits(seconds: Double, text: String) {
    #expect(Figure.time(seconds) == text)
  }
}
