import EaselBenchmarkHarness

/// Loads without decoding from nginx on loopback, compared with curl's multi interface in C and with URLSession.
///
/// Each client is a separate process.
func curlCases() -> [BenchmarkCase] {
  let sizes: [CurlLoad] = [
    CurlLoad(name: "4 KB", bytes: 4 << 10, count: 1000), CurlLoad(name: "100 KB", bytes: 100 << 10, count: 1000),
    CurlLoad(name: "10 MB", bytes: 10 << 20, count: 20),
  ]
  let loads = sizes.flatMap { load in [6, 32, 128].filter { $0 <= max(32, load.count) }.map { load.atOnce($0) } }
  return loads.map { timeCase($0) } + loads.map { processorCase($0) } + loads.map { urlSessionCase($0) }
    + [timeCase(sizes[0].atOnce(32).encrypted), timeCase(sizes[1].atOnce(32).encrypted)]
}

private func timeCase(_ load: CurlLoad) -> BenchmarkCase {
  BenchmarkCase(
    "load \(load.title)", group: "curl", against: "curl in C", atMost: load.isLarge ? 1 / 0.95 : 1.25
  ) {
    BenchmarkPair(
      subject: try await CurlProgram.process(.loader, load).sideWithPeakOfFirst,
      baseline: try await CurlProgram.process(.curlInC, load).sideWithPeakOfFirst)
  }
}

private func processorCase(_ load: CurlLoad) -> BenchmarkCase {
  BenchmarkCase("processor time of \(load.title)", group: "curl", against: "curl in C", atMost: 1.25) {
    BenchmarkPair(
      subject: try await CurlProgram.process(.loader, load, .processorTime).sideWithPeakOfFirst,
      baseline: try await CurlProgram.process(.curlInC, load, .processorTime).sideWithPeakOfFirst)
  }
}

private func urlSessionCase(_ load: CurlLoad) -> BenchmarkCase {
  BenchmarkCase("load \(load.title)", group: "curl", against: "URLSession", atMost: load.isLarge ? nil : 0.2) {
    BenchmarkPair(
      subject: try await CurlProgram.process(.loader, load).sideWithPeakOfFirst,
      baseline: try await CurlProgram.process(.urlSession, load).sideWithPeakOfFirst)
  }
}
