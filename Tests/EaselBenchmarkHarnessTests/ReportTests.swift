@testable import EaselBenchmarkHarness
import Testing

struct ReportTests {
  private let machine = Machine(
    processor: "A processor", cores: 2, memoryKilobytes: 3 * 1_048_576 / 2, kernel: "6.1.0", swift: "Swift version 6.3")

  private func report(bar: Double?) async throws -> Report {
    let counter = CostCounter(start: {}, stop: { _ in .init(allocations: 2, bytes: 64, locks: 1) })
    let runner = BenchmarkRunner(sampling: .smoke, counter: counter)
    var result = try await runner.run(
      BenchmarkCase("look up", group: "memory", against: "Dictionary", atMost: bar) {
        BenchmarkPair(subject: .timed { _ in 3e-8 }, baseline: .timed { _ in 2e-8 })
      })
    result.subject.peakBytes = 3 * 1_048_576
    result.baseline.peakBytes = 0
    return Report(machine: machine, results: [result], skipped: ["memory: other / thing": "no such library"])
  }

  @Test func theTableShowsBothSidesTheirRatioAndTheBar() async throws {
    let table = MarkdownTable.render(try await report(bar: 2))
    #expect(
      table == """
        A processor, 2 cores, 1.5 GiB, Linux 6.1.0, Swift version 6.3

        | group | case | Easel | against | takes | ratio | bar | allocations | locks | peak memory |
        |---|---|---|---|---|---|---|---|---|---|
        | memory | look up | 30.0 ns (30.0 ns to 30.0 ns) | Dictionary | 20.0 ns (20.0 ns to 20.0 ns) | 1.50 | \
        met (at most 2.00) | 2.00 / 2.00 | 1.00 / 1.00 | 3.00 MiB / 0.00 MiB |

        Skipped: memory: other / thing: no such library
        """)
  }

  @Test func aCaseThatBrokeOffIsNamed() async throws {
    var report = try await report(bar: 2)
    report.failed = ["memory: look up / Redis": "it took longer than 300 seconds"]
    #expect(
      MarkdownTable.render(report).hasSuffix(
        "no such library\nFAILED: memory: look up / Redis: it took longer than 300 seconds"))
    #expect(try Report(json: report.json()) == report)
  }

  @Test func aMissedBarStandsOutAndIsListed() async throws {
    let report = try await report(bar: 1.25)
    #expect(MarkdownTable.render(report).contains("| MISSED (at most 1.25) |"))
    #expect(report.results.map(\.meetsBar) == [false])
  }

  @Test func aBarOfMemoryIsJudgedBesideThatOfTime() async throws {
    var report = try await report(bar: 2)
    report.results[0].baseline.peakBytes = 4 * 1_048_576
    report.results[0].memoryBar = 0.5
    #expect(MarkdownTable.render(report).contains("| met (at most 2.00), memory 0.75: MISSED (at most 0.50) |"))
    #expect(report.results.map(\.meetsBar) == [false])
  }

  @Test func onlyTheCasesAskedForAreLeft() async throws {
    let report = try await report(bar: nil)
    let (same, other) = ("Dictionary", "Array")
    func benchmark(_ baseline: String) -> BenchmarkCase {
      BenchmarkCase("look up", group: "memory", against: baseline) { throw BenchmarkUnavailable("never run") }
    }
    #expect(report.only([benchmark(same)]).results.count == 1)
    #expect(report.only([benchmark(other)]).results.isEmpty)
  }

  @Test func withoutABarTheCellIsEmptyAndNothingIsMissed() async throws {
    let report = try await report(bar: nil)
    #expect(MarkdownTable.render(report).contains("| 1.50 |  | 2.00 / 2.00 |"))
    #expect(report.results.map(\.meetsBar) == [true])
  }

  @Test func aReportComesBackFromItsJSON() async throws {
    let report = try await report(bar: 2)
    #expect(try Report(json: report.json()) == report)
  }
}
