import EaselEverything
import EaselBenchmarkHarness
import EaselSupport
import FoundationEssentials
import Glibc

/// The program that script/bench builds and runs.
@main
struct EaselBenchmarks {
  static func main() async {
    Sandbox.runIfWorker(coders: CoderRegistry.everything.coders)
    do {
      if CommandLine.arguments.dropFirst().first == URLJob.word {
        try await URLJob.run(Array(CommandLine.arguments.dropFirst(2)))
        exit(0)
      }
      if CommandLine.arguments.dropFirst().first == CurlProgram.word {
        try await CurlProgram.run(Array(CommandLine.arguments.dropFirst(2)))
        exit(0)
      }
      let arguments = try BenchmarkArguments(Array(CommandLine.arguments.dropFirst()))
      // A detached task keeps the main actor out of the measurements.
      exit(try await Task.detached { try await run(arguments) }.value)
    } catch let mistake as BenchmarkArguments.Mistake {
      tell("\(mistake.message) (see script/bench --help)")
      exit(2)
    } catch {
      tell("\(error)")
      exit(1)
    }
  }

  private static func run(_ arguments: BenchmarkArguments) async throws -> Int32 {
    if let path = arguments.growthPath { return try await measureGrowth(arguments, to: path) }
    // Quick runs are shorter, and some have bars of their own.
    let all = Sampling.$current.withValue(arguments.sampling) { allCases() }
    let cases = all.filter(arguments.selects)
    guard !cases.isEmpty else {
      tell("no case has \(arguments.only.joined(separator: " or ")) in its title (see script/bench --list)")
      return 2
    }
    if arguments.lists {
      for benchmark in cases { print(benchmark.title) }
      return 0
    }
    // Read first, so that an invalid file is reported at once and not after minutes.
    let earlier = try arguments.comparisonPath.map { path in
      try Report(json: Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let strict = arguments.isStrict ? StrictRules(known: try KnownMiss.list(at: "Benchmarks/known-misses.tsv")) : nil
    let report = try await measure(cases, sampling: arguments.sampling, strict: strict)
    if arguments.sampling == .smoke {
      print("\(report.results.count) cases ran, \(report.skipped.count) were skipped")
    } else {
      print(MarkdownTable.render(report))
    }
    if let path = arguments.jsonPath { try report.json().write(to: URL(fileURLWithPath: path)) }
    var isGood = report.failed == nil
    if let verdict = strict?.verdict(on: report, allTitles: Set(all.map(\.title))) {
      print(verdict.text)
      isGood = isGood && verdict.failures.isEmpty
    }
    if let earlier {
      let comparison = Comparison(of: report, with: earlier.only(cases))
      print("\n\(ComparisonTable.render(comparison))")
      isGood = isGood && comparison.slower.isEmpty
    }
    return isGood ? 0 : 1
  }

  private static func measure(
    _ cases: [BenchmarkCase], sampling: Sampling, strict: StrictRules?
  ) async throws -> Report {
    let swift = ProcessInfo.processInfo.environment["EASEL_SWIFT_VERSION"] ?? "Swift of unknown version"
    var report = Report(machine: .current(swift: swift), results: [], skipped: [:])
    if let counter = CostCounter.process {
      let lock = Locked(0)
      let counted = await counter.count(of: 3) {
        blackHole([UInt8](repeating: 1, count: 1000))
        for _ in 0..<3 { lock.withLock { $0 += 1 } }
      }
      precondition(counted.allocations > 0 && counted.bytes >= 1000, "the counter of allocations sees none")
      precondition(counted.locks >= 3 && counted.commonLocks >= 3, "the counter of locks sees none")
    }
    let runner = BenchmarkRunner(sampling: sampling, counter: .process)
    for (index, benchmark) in cases.enumerated() {
      tell("[\(index + 1)/\(cases.count)] \(benchmark.title)")
      do {
        let start = ContinuousClock.now
        let result =
          if let strict {
            try await strict.result { try await runner.run(benchmark) }
          } else {
            try await runner.run(benchmark)
          }
        report.results.append(result)
        // Printed after each case, so that a run that ends early still shows results.
        if sampling != .smoke {
          tell("  \(MarkdownTable.summary(result)), measured in \(Figure.time(start.duration(to: .now) / .seconds(1)))")
        }
      } catch let unavailable as BenchmarkUnavailable {
        tell("skipped: \(unavailable.reason)")
        report.skipped[benchmark.title] = unavailable.reason
      } catch let failure as JobFailure {
        // The other cases can still be measured.
        tell("FAILED: \(failure)")
        report.failed = (report.failed ?? [:]).merging([benchmark.title: failure.description]) { $1 }
      }
    }
    return report
  }

  private static func measureGrowth(_ arguments: BenchmarkArguments, to path: String) async throws -> Int32 {
    var lines = [Growth.header]
    try await Growth.measure(
      isQuick: arguments.sampling != .standard, wants: { arguments.only.isEmpty || arguments.only.contains($0) }
    ) { point in
      tell(point.line)
      lines.append(point.line)
    }
    try Data("\(lines.joined(separator: "\n"))\n".utf8).write(to: URL(fileURLWithPath: path))
    return 0
  }

  private static func tell(_ line: String) {
    var text = "\(line)\n"
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
