import EaselBenchmarkHarness
import Testing

struct BenchmarkArgumentsTests {
  @Test func nothingGivenMeansEveryCaseMeasuredWell() throws {
    let arguments = try BenchmarkArguments([])
    #expect(arguments.sampling == .standard)
    #expect(arguments.selects(.fake("anything")))
    #expect(!arguments.lists && !arguments.isStrict && arguments.jsonPath == nil)
  }

  @Test func everyOptionIsUnderstood() throws {
    let arguments = try BenchmarkArguments([
      "--quick", "--json", "out.json", "--strict", "--list", "--compare", "old.json",
    ])
    #expect(arguments.sampling == .quick)
    #expect(arguments.comparisonPath == "old.json")
    #expect(arguments.jsonPath == "out.json")
    #expect(arguments.lists && arguments.isStrict)
    #expect(try BenchmarkArguments(["--smoke"]).sampling == .smoke)
  }

  @Test func onlyLooksIntoNameGroupAndBaselineWhateverTheCase() throws {
    let arguments = try BenchmarkArguments(["--only", "PNG", "--only", "pillow"])
    #expect(arguments.selects(.fake("a png file")))
    #expect(arguments.selects(.fake("a jpeg file", against: "Pillow")))
    #expect(arguments.selects(.fake("a file", group: "png")))
    #expect(!arguments.selects(.fake("a jpeg file")))
  }

  @Test(arguments: [["--unheard-of"], ["--only"], ["--json"], ["--compare"], ["--only", ""], ["png"]])
  func whatIsNotUnderstoodIsRefused(arguments: [String]) {
    #expect(throws: BenchmarkArguments.Mistake.self) { try BenchmarkArguments(arguments) }
  }
}

extension BenchmarkCase {
  fileprivate static func fake(_ name: String, group: String = "group", against: String = "baseline") -> Self {
    BenchmarkCase(name, group: group, against: against) {
      BenchmarkPair(subject: .call {}, baseline: .call {})
    }
  }
}
