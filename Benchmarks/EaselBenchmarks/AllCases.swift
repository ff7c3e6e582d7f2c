import EaselBenchmarkHarness

/// Every case there is: a new group adds its file to Cases and its line here.
func allCases() -> [BenchmarkCase] {
  [
    selfCheckCases(),
    lockedCases(),
    resizeCases(),
    cancellationCases(),
    pngCases(),
  ].flatMap { $0 }
}
