/// What became of each case since an earlier run.
///
/// Times are never compared across runs, since machines change their speed from hour to hour: what is compared is how
/// Easel stood to its baseline, which was measured in turn with it.
package struct Comparison: Sendable {
  package enum Verdict: String, Sendable { case slower, faster, same }

  package struct Row: Sendable {
    package let title: String
    package let before: Double
    package let now: Double
    /// By which factor the ratio may grow or shrink before it means something.
    package let tolerance: Double

    package var change: Double { now / before }

    package var verdict: Verdict {
      if change > 1 + tolerance { return .slower }
      return change < 1 / (1 + tolerance) ? .faster : .same
    }
  }

  package let rows: [Row]
  /// Cases of only one of the runs.
  package let added: [String]
  package let missing: [String]
  package let isOfOneMachine: Bool

  package var slower: [Row] { rows.filter { $0.verdict == .slower } }

  /// Compares what both runs measured; what an earlier run lacks is no regression.
  package init(of now: Report, with before: Report) {
    let earlier = Dictionary(before.results.map { ($0.title, $0) }, uniquingKeysWith: { first, _ in first })
    let titles = Set(now.results.map(\.title))
    rows = now.results.compactMap { result in
      earlier[result.title].map {
        Row(title: result.title, before: $0.ratio, now: result.ratio, tolerance: Self.tolerance(result, $0))
      }
    }
    added = now.results.map(\.title).filter { earlier[$0] == nil }
    missing = before.results.map(\.title).filter { !titles.contains($0) }
    isOfOneMachine = now.machine.processor == before.machine.processor && now.machine.cores == before.machine.cores
  }

  /// A twentieth, which the same program differs by when it is built anew, and what each run wandered by in itself.
  private static func tolerance(_ one: CaseResult, _ other: CaseResult) -> Double {
    0.05 + one.wandering + other.wandering
  }
}

extension CaseResult {
  /// What the case is called where all are listed.
  package var title: String { "\(group): \(name) / \(baselineName)" }

  /// Three quarters of the span that holds the middle half of the ratios, as a share of the median.
  ///
  /// Few pairs can look more alike than they are, so it is never taken to be less than a few hundredths.
  var wandering: Double {
    guard let quartiles, ratio > 0 else { return 0.1 }
    return max((quartiles.upper - quartiles.lower) * 0.75 / ratio, 0.1 / Double(pairs).squareRoot())
  }
}
