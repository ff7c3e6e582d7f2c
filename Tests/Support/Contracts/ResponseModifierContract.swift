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
    let identity = modifier.cacheIdentity
    let request = LoadRequest(url: URL(string: "http://a/b.png")!)
    for head in Self.heads {
      let results = await Waiting.atMost(patience) {
        [try? await modifier.modify(head, for: request), try? await modifier.modify(head, for: request)]
      }
      guard let results else {
        findings.add(.ends, "It did not end.")
        continue
      }
      findings.require(results[0] == results[1], .isRepeatable, "\(head) gives another head the second time.")
    }
    let cancelled = Task {
      try? await AsyncGate().pass()
      _ = try? await modifier.modify(Self.heads[0], for: request)
    }
    cancelled.cancel()
    let end: Void? = await Waiting.atMost(patience) { await cancelled.value }
    findings.require(end != nil, .ends, "For a cancelled task it did not end.")
    findings.require(modifier.cacheIdentity == identity, .identityIsStable, "Its identity is another one now.")
    return findings.violations
  }

  private static let heads = [
    ResponseHead(status: 200, headers: ["Content-Type": "image/png"], expectedLength: 10), ResponseHead(status: 404),
    ResponseHead(status: 304, headers: ["ETag": "\"a\""]), ResponseHead(),
  ]
}
