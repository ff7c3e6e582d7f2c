import EaselCore
import EaselSupport

/// The steps of a suite; each must end, or note its next answer, within the suite's patience.
///
/// A plug-in that hangs breaks its contract, and the finding names the step; neither the suite nor the tests hang. The
/// threads of the hanging step stay blocked, so the steps after it are skipped.
package struct Steps<Rule: RawRepresentable & Sendable>: Sendable where Rule.RawValue == String {
  let findings: Findings<Rule>
  private let rule: Rule
  private let patience: Duration
  private let isStuck = Locked(false)

  /// Creates the steps of a suite; a step that does not end breaks `rule`.
  package init(_ findings: Findings<Rule>, _ rule: Rule, patience: Duration) {
    self.findings = findings
    self.rule = rule
    self.patience = patience
  }

  /// Runs blocking work on its own thread; nil if it did not end.
  @discardableResult
  package func onThread<Result: Sendable>(_ name: String, _ body: @escaping @Sendable () -> Result) async -> Result? {
    await run(name) { await Waiting.onThread(body) }
  }

  /// Runs asynchronous work; nil if it did not end.
  @discardableResult
  package func run<Result: Sendable>(_ name: String, _ body: @escaping @Sendable () async -> Result) async -> Result? {
    guard !isStuck.withLock({ $0 }) else { return nil }
    if let result = await Waiting.atMost(patience, since: { findings.answers }, body) { return result }
    isStuck.withLock { $0 = true }
    findings.add(rule, "\(name) had not ended after \(patience). A plug-in must come back from every call.")
    return nil
  }
}
