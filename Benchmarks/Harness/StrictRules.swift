/// The demands of `--strict`: each case meets its bars, misses one by less than the noise of its samples, or misses one
/// that is known to be missed, and by no more than that.
package struct StrictRules: Sendable {
  private let known: [KnownMiss]

  /// Samples that differ widely excuse no more than this share of a bar.
  private static let mostNoise = 0.1

  package init(known: [KnownMiss]) { self.known = known }

  package func allows(_ result: CaseResult) -> Bool { excess(of: result) <= 1 }

  /// Measures a case that is not allowed twice more, and gives the middle one of the three results.
  ///
  /// The machine may have been busy for a while, and in a run of an hour it always is once.
  package func result(measuring measure: () async throws -> CaseResult) async throws -> CaseResult {
    let first = try await measure()
    if allows(first) { return first }
    let three = [first, try await measure(), try await measure()]
    return three.sorted { excess(of: $0) < excess(of: $1) }[1]
  }

  /// Says what a report misses.
  ///
  /// `allTitles` are the titles of all cases that exist, measured or not.
  package func verdict(on report: Report, allTitles: Set<String>) -> Verdict {
    var verdict = Verdict()
    for judged in report.results.flatMap(judgements) {
      let highest = judged.known.map { "up to \(Figure.fixed($0.highestRatio, places: 2))" }
      if judged.ratio <= judged.bar {
        if judged.known != nil { verdict.met.append(judged.line) }
      } else if judged.ratio > judged.limit {
        verdict.failures.append("\(judged.line), \(highest.map { "known only \($0)" } ?? "not known")")
      } else if let miss = judged.known, let highest {
        verdict.known.append("\(judged.line), known \(highest): \(miss.heading)")
      } else {
        verdict.unclear.append("\(judged.line), with noise up to \(Figure.fixed(judged.limit, places: 3))")
      }
    }
    verdict.failures += Set(known.map(\.title)).subtracting(allTitles).sorted().map {
      "\($0): no such case; take it from the known misses"
    }
    return verdict
  }

  /// The misses of a report, a line for each.
  package struct Verdict: Equatable, Sendable {
    /// The run fails if there is one.
    package var failures: [String] = []
    package var known: [String] = []
    /// Missed by less than the samples differ among themselves, so that another run may meet the bar.
    package var unclear: [String] = []
    /// Known to be missed, and met this time.
    package var met: [String] = []

    /// The lines under headings that say what they are.
    package var text: String {
      let parts = [
        ("Fails --strict:", failures), ("Missed, as Benchmarks/NOTES.md explains:", known),
        ("Missed by less than the noise of the samples:", unclear), ("Met, though known to be missed:", met),
      ]
      let lines = parts.filter { !$0.1.isEmpty }.flatMap { ["", $0.0] + $0.1.map { "- \($0)" } }
      return (lines + ["", failures.isEmpty ? "--strict: passed" : "--strict: \(failures.count) failed"])
        .joined(separator: "\n")
    }
  }

  private struct Judgement {
    let cost: KnownMiss.Cost
    let ratio: Double
    let bar: Double
    /// The share of the bar by which the ratio may be above it by chance.
    let noise: Double
    let known: KnownMiss?
    let title: String

    /// The highest ratio that is allowed.
    var limit: Double { max(bar * (1 + noise), known?.highestRatio ?? 0) }

    var line: String {
      let ratio = ratio.isFinite ? Figure.fixed(ratio, places: 3) : "unknown"
      return "\(title): \(cost.rawValue) \(ratio), bar \(Figure.fixed(bar, places: 2))"
    }
  }

  private func judgements(of result: CaseResult) -> [Judgement] {
    func judgement(_ cost: KnownMiss.Cost, _ ratio: Double, _ bar: Double?, noise: Double) -> Judgement? {
      bar.map { bar in
        let miss = known.first { $0.title == result.title && $0.cost == cost }
        return Judgement(cost: cost, ratio: ratio, bar: bar, noise: noise, known: miss, title: result.title)
      }
    }
    return [
      judgement(.time, result.ratio, result.bar, noise: min(result.wandering, Self.mostNoise)),
      // A peak that could not be measured is a miss.
      judgement(.memory, result.memoryRatio ?? .infinity, result.memoryBar, noise: 0),
    ].compactMap { $0 }
  }

  /// By which factor the result is above what is allowed.
  private func excess(of result: CaseResult) -> Double {
    judgements(of: result).map { $0.ratio / $0.limit }.max() ?? 0
  }
}
