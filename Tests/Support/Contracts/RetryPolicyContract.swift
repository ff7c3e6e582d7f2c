import EaselCore
import FoundationEssentials

/// What every retry policy must do.
public struct RetryPolicyContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// It gives up sooner or later.
    case givesUpInTheEnd
    /// A load that its caller gave up is not repeated.
    case neverRepeatsACancellation
    /// What comes out the same each time is not repeated: URLs that cannot be loaded at all.
    case neverRepeatsTheHopeless
    /// A request that may change something at the server is not sent twice.
    case repeatsOnlyWhatIsSafe
    /// No wait is shorter than nothing.
    case waitsMakeSense
  }

  private let policy: any RetryPolicy

  /// Creates the suite.
  public init(_ policy: any RetryPolicy) { self.policy = policy }

  /// The rules that the policy breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    for code in ImageError.Code.allCases {
      let decisions = (1...1000).map { decide(code, attempt: $0, method: "GET") }
      findings.require(decisions.contains(.giveUp), .givesUpInTheEnd, "After \(code.name) it never gives up.")
      for case .retry(let wait) in decisions {
        findings.require(wait >= .zero, .waitsMakeSense, "After \(code.name) it waits \(wait).")
      }
    }
    requireNoRetry(after: .cancelled, "GET", .neverRepeatsACancellation, findings)
    for code in [ImageError.Code.invalidURL, .unsupportedURL, .blockedURL, .forbiddenAddress] {
      requireNoRetry(after: code, "GET", .neverRepeatsTheHopeless, findings)
    }
    for method in ["POST", "PATCH"] { requireNoRetry(after: .network, method, .repeatsOnlyWhatIsSafe, findings) }
    return findings.violations
  }

  private func requireNoRetry(
    after code: ImageError.Code, _ method: String, _ rule: Rule, _ findings: Findings<Rule>
  ) {
    let decision = decide(code, attempt: 1, method: method)
    findings.require(decision == .giveUp, rule, "After \(code.name) it sends the \(method) again.")
  }

  private func decide(_ code: ImageError.Code, attempt: Int, method: String) -> RetryDecision {
    let head = code == .badStatus ? ResponseHead(status: 503, headers: ["Retry-After": "1"]) : nil
    let error = ImageError(code, "An attempt failed.", response: head)
    let request = LoadRequest(url: URL(string: "http://a/b.png")!, method: method)
    return policy.decision(after: error, attempt: attempt, request: request)
  }
}
