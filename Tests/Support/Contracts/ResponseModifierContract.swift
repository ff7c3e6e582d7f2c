import EaselCore
import FoundationEssentials

/// The rules of every response modifier.
public struct ResponseModifierContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The identity is the same each time.
    case identityIsStable
    /// Every call returns, even for a cancelled task.
    case ends
    /// The same input head gives the same output head.
    case isRepeatable
    /// Statuses are valid in HTTP. A 304 stays a 304, because no body follows it, and nothing else becomes a 304, because
    /// it would be taken for the server's word that a stored picture is still current.
    case statusesMakeSense
    /// An announced length is not negative, and is either the source's length or absent.
    case lengthsMakeSense
    /// No field name or value contains a line break or another control byte.
    case fieldsAreClean
  }

  private let modifier: any ResponseModifier
  private let patience: Duration

  /// Tests this modifier; `patience` is the longest time that one call may take.
  public init(_ modifier: any ResponseModifier, patience: Duration = .ofContracts) {
    self.modifier = modifier
    self.patience = patience
  }

  /// Returns the rules that the modifier breaks.
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
    let cancelled = Task(executorPreference: SpareThreads.shared) {
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
      modified.status != 304 || head.status == 304, .statusesMakeSense,
      "A status of \(before) became 304, by which only the server may confirm a stored picture.")
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
