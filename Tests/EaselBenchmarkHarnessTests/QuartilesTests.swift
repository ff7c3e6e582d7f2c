import EaselBenchmarkHarness
import Testing

struct QuartilesTests {
  @Test func quartilesLieAQuarterFromEachEnd() {
    #expect(Quartiles(of: [5, 1, 4, 2, 3]) == Quartiles(lower: 2, upper: 4))
    #expect(Quartiles(of: [1, 2, 3, 4]) == Quartiles(lower: 1.75, upper: 3.25))
    #expect(Quartiles(of: [7]) == Quartiles(lower: 7, upper: 7))
  }

  @Test func oneValueFarOffDoesNotMoveThem() {
    #expect(Quartiles(of: [1, 1, 1, 1, 1000]) == Quartiles(lower: 1, upper: 1))
  }
}
