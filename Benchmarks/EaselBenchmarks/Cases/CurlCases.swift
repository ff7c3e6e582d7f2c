import EaselBenchmarkHarness
import EaselCore
import EaselCurl
import EaselTestServers
import Foundation

/// Loads without decoding, from nginx on loopback, against curl's multi interface in C and against URLSession.
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
    "load \(load.title)", group: "curl", against: "curl in C", atMost: load.isLarge ? 1 / 0.95 : 1 / 0.75
  ) {
    let (subject, baseline) = (try await LoaderClient(load), try await CurlClient(load))
    return BenchmarkPair(
      subject: .asyncCall { try await subject.loadAll() }, baseline: .asyncCall { try await baseline.loadAll() })
  }
}

/// What the client's process spends, whoever of its threads does it; the server is another process.
private func processorCase(_ load: CurlLoad) -> BenchmarkCase {
  BenchmarkCase("processor time of \(load.title)", group: "curl", against: "curl in C", atMost: 1.5) {
    let (subject, baseline) = (try await LoaderClient(load), try await CurlClient(load))
    return BenchmarkPair(
      subject: .timed { repetitions in
        try await processorSeconds { for _ in 0..<repetitions { try await subject.loadAll() } }
      },
      baseline: .timed { repetitions in
        try await processorSeconds { for _ in 0..<repetitions { try await baseline.loadAll() } }
      })
  }
}

private func urlSessionCase(_ load: CurlLoad) -> BenchmarkCase {
  BenchmarkCase("load \(load.title)", group: "curl", against: "URLSession", atMost: load.isLarge ? nil : 0.2) {
    let (subject, baseline) = (try await LoaderClient(load), try await SessionClient(load))
    return BenchmarkPair(
      subject: .asyncCall { try await subject.loadAll() }, baseline: .asyncCall { try await baseline.loadAll() })
  }
}

private func processorSeconds(_ body: () async throws -> Void) async rethrows -> Double {
  func spent() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
  let before = spent()
  try await body()
  return spent() - before
}
