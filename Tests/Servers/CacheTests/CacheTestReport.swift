/// The outcomes of tests by kind, and the tests that were left out, by reason.
public struct CacheTestReport: Sendable {
  /// The meaning of a verdict for a test of its kind.
  public enum Outcome: String, Sendable {
    /// The cache did what is required, or what is best.
    case passed
    /// The cache violated a requirement.
    case failed
    /// The cache did not do what is best, which is allowed.
    case notOptimal = "not optimal"
    /// An observation: yes, which is neither better nor worse than no.
    case yes
    /// An observation: no, which is neither better nor worse than yes.
    case no
    /// The preparation of the test failed, or a test that this one needs did not pass.
    case notReached = "not reached"
  }

  /// A test that was run.
  public struct Row: Sendable {
    /// The test.
    public let test: CacheTestCase
    /// The outcome.
    public let outcome: Outcome
    /// The differences from the expected behaviour.
    public let details: [String]
  }

  /// The tests that were run, in order.
  public let rows: [Row]
  /// The number of tests that were left out, by reason.
  public let leftOut: [(reason: String, count: Int)]

  /// Judges the verdicts of all tests; tests without a verdict were left out.
  public init(_ tests: [CacheTestCase], verdicts: [String: CacheTestRun.Verdict]) {
    let known = Dictionary(tests.map { ($0.id, $0) }) { first, _ in first }
    var rows: [Row] = []
    var reasons: [String: Int] = [:]
    for test in tests {
      if let reason = test.reasonToLeaveOut {
        reasons[reason, default: 0] += 1
      } else if let verdict = verdicts[test.id] {
        rows.append(Self.row(test, verdict, known, verdicts))
      } else {
        reasons["not run", default: 0] += 1
      }
    }
    self.rows = rows
    leftOut = reasons.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// True when at least one test was reached and no required test failed.
  public var isGood: Bool {
    rows.contains { $0.outcome == .passed || $0.outcome == .yes } && !rows.contains { $0.outcome == .failed }
  }

  /// A line for each kind, and one for the tests left out.
  public var summary: [String] {
    var lines = CacheTestCase.Kind.allCases.compactMap { kind -> String? in
      let counts = Dictionary(grouping: rows.filter { $0.test.kind == kind }, by: \.outcome).mapValues(\.count)
      guard !counts.isEmpty else { return nil }
      let parts = counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
      return "\(kind.rawValue): \(parts.joined(separator: ", "))"
    }
    if !leftOut.isEmpty {
      lines.append("left out: " + leftOut.map { "\($0.count) \($0.reason)" }.joined(separator: ", "))
    }
    return lines
  }

  private static func row(
    _ test: CacheTestCase, _ verdict: CacheTestRun.Verdict, _ known: [String: CacheTestCase],
    _ verdicts: [String: CacheTestRun.Verdict]
  ) -> Row {
    let missing = test.dependencies.filter { !isMet($0, known, verdicts, depth: 0) }
    if !missing.isEmpty {
      return Row(test: test, outcome: .notReached, details: missing.map { "It needs \($0), which did not pass." })
    }
    switch verdict {
    case .passed: return Row(test: test, outcome: test.kind == .check ? .yes : .passed, details: [])
    case .notReached(let details): return Row(test: test, outcome: .notReached, details: details)
    case .failed(let details):
      let outcome: Outcome =
        switch test.kind {
        case .required: .failed
        case .optimal: .notOptimal
        case .check: .no
        }
      return Row(test: test, outcome: outcome, details: details)
    }
  }

  private static func isMet(
    _ id: String, _ known: [String: CacheTestCase], _ verdicts: [String: CacheTestRun.Verdict], depth: Int
  ) -> Bool {
    // Tests that depend on each other in a circle are never reached.
    guard let test = known[id], verdicts[id] == .passed, depth < known.count else { return false }
    return test.dependencies.allSatisfy { isMet($0, known, verdicts, depth: depth + 1) }
  }
}
