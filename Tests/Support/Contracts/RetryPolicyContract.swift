import EaselCore
import FoundationEssentials

/// The rules of every retry policy.
public struct RetryPolicyContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The policy gives up eventually.
    case givesUpInTheEnd
    /// A cancelled load is not repeated.
    case neverRepeatsACancellation
    /// Failures that are certain to recur are not repeated, such as URLs that cannot be loaded at all.
    case neverRepeatsTheHopeless
    /// A request that may change something on the server is not sent twice.
    case repeatsOnlyWhatIsSafe
    /// No wait is negative or longer than a day, even if a server asks for it.
    case waitsMakeSense
    /// Every call returns.
    case ends
  }

  private let policy: any RetryPolicy
  private let patience: Duration

  /// Tests this policy; `patience` is the longest time that one call may take.
  public init(_ policy: any RetryPolicy, patience: Duration = .ofContracts) {
    self.policy = policy
    self.patience = patience
  }

  /// Returns the rules that the policy breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    await Steps(findings, .ends, patience: patience).onThread("Deciding") { check(findings) }
    return findings.violations
  }

  private func check(_ findings: Findings<Rule>) {
    for code in ImageError.Code.allCases {
      let decisions = (1...1000).map { decide(code, attempt: $0, method: "GET") }
      findings.require(decisions.contains(.giveUp), .givesUpInTheEnd, "After \(code.name) it never gives up.")
      for decision in decisions { check(decision, "After \(code.name)", findings) }
    }
    for wish in Self.wishes {
      let decision = decide(.badStatus, attempt: 1, method: "GET", retryAfter: wish)
      check(decision, "Asked for \(wish.debugDescription) by the server", findings)
    }
    for attempt in [Int.max, 0, -1] {
      check(decide(.network, attempt: attempt, method: "GET"), "After attempt \(attempt)", findings)
    }
    requireNoRetry(after: .cancelled, "GET", .neverRepeatsACancellation, findings)
    for code in [ImageError.Code.invalidURL, .unsupportedURL, .blockedURL, .refusedURL, .forbiddenAddress] {
      requireNoRetry(after: code, "GET", .neverRepeatsTheHopeless, findings)
    }
    for method in ["POST", "PATCH"] { requireNoRetry(after: .network, method, .repeatsOnlyWhatIsSafe, findings) }
  }

  /// Values of `Retry-After` that servers send, and some that only hostile servers send.
  private static let wishes = [
    "0", "1", "-1", "1e300", "nan", "86401", "9223372036854775807", "99999999999999999999999", "", "soon",
    "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT",
  ]

  private func check(_ decision: RetryDecision, _ when: String, _ findings: Findings<Rule>) {
    guard case .retry(let wait) = decision else { return }
    findings.require(
      wait >= .zero && wait <= .seconds(24 * 3600), .waitsMakeSense, "\(when) it waits \(wait).")
  }

  private func requireNoRetry(
    after code: ImageError.Code, _ method: String, _ rule: Rule, _ findings: Findings<Rule>
  ) {
    let decision = decide(code, attempt: 1, method: method)
    findings.require(decision == .giveUp, rule, "After \(code.name) it sends the \(method) again.")
  }

  private func decide(
    _ code: ImageError.Code, attempt: Int, method: String, retryAfter: String = "1"
  ) -> RetryDecision {
    let head = code == .badStatus ? ResponseHead(status: 503, headers: ["Retry-After": retryAfter]) : nil
    let error = ImageError(code, "An attempt failed.", response: head)
    let request = LoadRequest(url: URL(string: "http://a/b.png")!, method: method)
    return policy.decision(after: error, attempt: attempt, request: request)
  }
}
