import EaselCore
import FoundationEssentials

/// What every response modifier must do.
public struct ResponseModifierContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// Its identity is the same each time.
    case identityIsStable
    /// It answers, also for a task that is cancelled.
    case ends
    /// The same head gives the same head.
    case isRepeatable
    /// A status is one of HTTP's, and "not modified" stays what it is, for no body comes with it.
    case statusesMakeSense
    /// An announced length is no less than nothing, and is the one that the source announced or none.
    case lengthsMakeSense
    /// No field name or value has a line break or another control byte.
    case fieldsAreClean
  }

  private let modifier: any ResponseModifier
  private let patience: Duration

  /// Creates the suite.
  public init(_ modifier: any ResponseModifier, patience: Duration = .seconds(120)) {
    self.modifier = modifier
    self.patience = patience
  }

  /// The rules that the modifier breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    let identity = await steps.onThread("Naming itself") { modifier.cacheIdentity }
    let request = LoadRequest(url: URL(string: "http://a/b.png")!)
    for head in Self.heads {
      let results = await steps.run("Modifying a head of status \(head.status ?? 0)") {
        [try? await modifier.modify(head, for: request), try? await modifier.modify(head, for: request)]
      }
      guard let results else { continue }
      findings.require(results[0] == results[1], .isRepeatable, "\(head) gives another head the second time.")
      if let modified = results[0] ?? nil { check(modified, from: head, findings) }
    }
    let cancelled = Task {
      try? await AsyncGate().pass()
      _ = try? await modifier.modify(Self.heads[0], for: request)
    }
    cancelled.cancel()
    await steps.run("Modifying a head for a cancelled task") { await cancelled.value }
    let last = await steps.onThread("Naming itself") { modifier.cacheIdentity }
    findings.require(last == identity, .identityIsStable, "Its identity is another one now.")
    return findings.violations
  }

  private func check(_ modified: ResponseHead, from head: ResponseHead, _ findings: Findings<Rule>) {
    let (before, after) = (head.status.map { "\($0)" } ?? "none", modified.status.map { "\($0)" } ?? "none")
    findings.require(
      modified.status.map { (100...599).contains($0) } ?? true, .statusesMakeSense,
      "A status of \(before) became \(after), which HTTP has not.")
    findings.require(
      head.status != 304 || modified.status == 304, .statusesMakeSense,
      "\"Not modified\" became the status \(after), though no body comes with it.")
    findings.require(
      modified.expectedLength == nil || modified.expectedLength == head.expectedLength, .lengthsMakeSense,
      "An announced length of \(head.expectedLength ?? 0) bytes became \(modified.expectedLength ?? 0): the body would"
        + " count as cut short.")
    let dirty = modified.headers.fields.flatMap { [$0.name, $0.value] }.first { !$0.isFieldText }
    findings.require(
      dirty == nil, .fieldsAreClean, "A head of status \(after) has \((dirty ?? "").debugDescription) in its fields.")
  }

  private static let heads = [
    ResponseHead(status: 200, headers: ["Content-Type": "image/png"], expectedLength: 10), ResponseHead(status: 404),
    ResponseHead(status: 304, headers: ["ETag": "\"a\""]), ResponseHead(),
  ]
}
