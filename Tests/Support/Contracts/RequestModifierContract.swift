import EaselCore
import FoundationEssentials

/// What every request modifier must do.
public struct RequestModifierContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// Its identity is the same each time.
    case identityIsStable
    /// It answers, also for a task that is cancelled.
    case ends
    /// The request still speaks of the same picture, with the same priority and context.
    case keepsThePicture
    /// It does not ask for more bytes than are wanted.
    case keepsTheByteLimit
    /// Requests that are modified at the same time do not disturb one another.
    case requestsAreApart
  }

  private let modifier: any RequestModifier
  private let patience: Duration

  /// Creates the suite.
  public init(_ modifier: any RequestModifier, patience: Duration = .seconds(120)) {
    self.modifier = modifier
    self.patience = patience
  }

  /// The rules that the modifier breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let identity = modifier.cacheIdentity
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<8 { group.addTask { await checkRequest(index, findings) } }
    }
    let cancelled = Task {
      try? await AsyncGate().pass()
      _ = try? await modifier.modify(LoadRequest(url: Self.url(0)))
    }
    cancelled.cancel()
    let end: Void? = await Waiting.atMost(patience) { await cancelled.value }
    findings.require(end != nil, .ends, "For a cancelled task it did not end.")
    findings.require(modifier.cacheIdentity == identity, .identityIsStable, "Its identity is another one now.")
    return findings.violations
  }

  private static func url(_ index: Int) -> URL { URL(string: "http://a/\(index).png")! }

  private func checkRequest(_ index: Int, _ findings: Findings<Rule>) async {
    let request = LoadRequest(
      url: Self.url(index), headers: ["X-Number": "\(index)"], byteLimit: 1000,
      key: CacheKey(original: "key \(index)"), priority: LivePriority(.low), context: [.targetKey("\(index)")])
    let result = await Waiting.atMost(patience) { try? await modifier.modify(request) }
    guard let answer = result else { return findings.add(.ends, "It did not end.") }
    // Nil, or an error, is a modifier's way to end the load.
    guard let modified = answer else { return }
    findings.require(
      modified.priority === request.priority && modified.context[.targetKey] == "\(index)", .keepsThePicture,
      "Priority or context are not those of the request.")
    findings.require(
      modified.key == request.key, .requestsAreApart, "The request for \(request.key) became one for \(modified.key).")
    findings.require(modified.byteLimit <= 1000, .keepsTheByteLimit, "It asks for \(modified.byteLimit) bytes.")
  }
}
