/// The change of each case since an earlier run.
///
/// Times are never compared between runs, because the speed of a machine changes from hour to hour. Ratios are
/// compared: Easel's cost relative to its baseline, which was measured in turn with it.
package struct Comparison: Sendable {
  package enum Verdict: String, Sendable { case slower, faster, same }

  package struct Row: Sendable {
    package let title: String
    package let before: Double
    package let now: Double
    /// The factor by which the ratio must grow or shrink to be significant.
    package let tolerance: Double

    package var change: Double { now / before }

    package var verdict: Verdict {
      if change > 1 + tolerance { return .slower }
      return change < 1 / (1 + tolerance) ? .faster : .same
    }
  }

  package let rows: [Row]
  /// The cases of only one of the runs.
  package let added: [String]
  package let missing: [String]
  package let isOfOneMachine: Bool

  package var slower: [Row] { rows.filter { $0.verdict == .slower } }

  /// Compares the figures that both runs have; a figure missing in the earlier run is not a regression.
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

  /// A twentieth, by which a rebuilt program differs from itself, plus the variation within each run.
  private static func tolerance(_ one: CaseResult, _ other: CaseResult) -> Double {
    0.05 + one.wandering + other.wandering
  }
}

extension CaseResult {
  /// The title of the case in lists.
  package var title: String { "\(group): \(name) / \(baselineName)" }

  /// Three quarters of the interquartile range of the ratios, relative to the median.
  ///
  /// A few pairs may agree by chance, so the value is at least a few hundredths.
  var wandering: Double {
    guard let quartiles, ratio > 0 else { return 0.1 }
    return max((quartiles.upper - quartiles.lower) * 0.75 / ratio, 0.1 / Double(pairs).squareRoot())
  }
}
