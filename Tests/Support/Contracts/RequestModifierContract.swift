import EaselCore
import FoundationEssentials

/// The rules of every request modifier.
public struct RequestModifierContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The identity is the same each time.
    case identityIsStable
    /// Every call returns, even for a cancelled task.
    case ends
    /// The modified request is for the same picture, with the same priority and context.
    case keepsThePicture
    /// The limit of bytes is not raised.
    case keepsTheByteLimit
    /// Requests that are modified at the same time do not affect each other.
    case requestsAreApart
    /// A web request stays one; it never becomes a request for a file or another local scheme.
    case staysOnTheWeb
    /// No method, field name or value contains a line break or another control byte.
    case fieldsAreClean
    /// The query is kept: additions are separate fields of the query, and nothing is added after the fragment.
    case queryStaysWhole
  }

  private let modifier: any RequestModifier
  private let patience: Duration

  /// Tests this modifier; `patience` is the longest time that one call may take.
  public init(_ modifier: any RequestModifier, patience: Duration = .ofContracts) {
    self.modifier = modifier
    self.patience = patience
  }

  /// Returns the rules that the modifier breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    let identity = await steps.onThread("Naming itself") { modifier.cacheIdentity }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<8 { group.addTask { await checkRequest(index, steps) } }
    }
    for text in Self.addresses { await checkAddress(URL(string: text)!, steps) }
    let cancelled = Task(executorPreference: SpareThreads.shared) {
      try? await AsyncGate().pass()
      _ = try? await modifier.modify(LoadRequest(url: Self.url(0)))
    }
    cancelled.cancel()
    await steps.run("Modifying a request for a cancelled task") { await cancelled.value }
    let last = await steps.onThread("Naming itself") { modifier.cacheIdentity }
    findings.require(last == identity, .identityIsStable, "Its identity is another one now.")
    return findings.violations
  }

  private static func url(_ index: Int) -> URL { URL(string: "http://a/\(index).png")! }

  private static let addresses = [
    "http://a/b.png", "https://a:8443/b%20c.png?size=1", "http://a/b.png?size=1&x=%3F", "http://a/b.png#top",
    "http://a/b.png?size=1#top", "http://a", "https://user:secret@a/b",
  ]

  private func checkAddress(_ url: URL, _ steps: Steps<Rule>) async {
    let request = LoadRequest(url: url)
    guard let answer = await steps.run("Modifying a request for \(url)", { try? await modifier.modify(request) }),
      let modified = answer
    else { return }
    let findings = steps.findings
    let scheme = modified.url.scheme?.lowercased() ?? "none"
    findings.require(
      scheme == "http" || scheme == "https", .staysOnTheWeb, "\(url) became \(modified.url), of the scheme \(scheme).")
    let texts = modified.headers.fields.flatMap { [$0.name, $0.value] } + [modified.method]
    let dirty = texts.first { !$0.isFieldText }
    findings.require(
      dirty == nil, .fieldsAreClean, "The request for \(url) has \((dirty ?? "").debugDescription) in its head.")
    findings.require(
      modified.headers.fields.allSatisfy { !$0.name.isEmpty } && !modified.method.isEmpty, .fieldsAreClean,
      "The request for \(url) has a field without a name, or no method.")
    checkQuery(of: modified.url, from: url, findings)
  }

  private func checkQuery(of modified: URL, from url: URL, _ findings: Findings<Rule>) {
    let questionMarks = { (url: URL) in url.absoluteString.utf8.count { $0 == UInt8(ascii: "?") } }
    let hadQuery = url.query?.isEmpty == false
    findings.require(
      questionMarks(modified) <= max(1, questionMarks(url)), .queryStaysWhole,
      "\(url) became \(modified)\(hadQuery ? ": further fields of a query follow an ampersand" : "").")
    guard let fragment = url.fragment, let left = modified.fragment else { return }
    findings.require(
      left == fragment || !left.hasPrefix(fragment), .queryStaysWhole,
      "\(url) became \(modified): what follows the fragment never reaches a server.")
  }

  private func checkRequest(_ index: Int, _ steps: Steps<Rule>) async {
    let findings = steps.findings
    let request = LoadRequest(
      url: Self.url(index), headers: ["X-Number": "\(index)"], byteLimit: 1000,
      key: CacheKey(original: "key \(index)"), priority: LoadPriority.Live(.low), context: [.targetKey("\(index)")])
    let result = await steps.run("Modifying a request") { try? await modifier.modify(request) }
    guard let answer = result else { return }
    // With nil or an error a modifier ends the load, which is allowed.
    guard let modified = answer else { return }
    findings.require(
      modified.priority === request.priority && modified.context[.targetKey] == "\(index)", .keepsThePicture,
      "Priority or context are not those of the request.")
    findings.require(
      modified.key == request.key, .requestsAreApart, "The request for \(request.key) became one for \(modified.key).")
    findings.require(modified.byteLimit <= 1000, .keepsTheByteLimit, "It asks for \(modified.byteLimit) bytes.")
  }
}
