import EaselCore
import FoundationEssentials

/// What every cache key filter must do.
public struct CacheKeyFilterContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// A URL has the same name each time, on every thread.
    case nameIsStable
    /// Names are not empty: what is not to be cached is nil.
    case namesAreNotEmpty
    /// URLs have the names that were expected.
    case namesAreRight
    /// Pictures of different names are not called alike, nor many of them by one name.
    case picturesAreApart
    /// It comes back from every call.
    case ends
  }

  private let filter: any CacheKeyFilter
  private let expected: [URL: String?]
  private let patience: Duration

  /// Creates the suite; `expected` holds names that are known.
  public init(_ filter: any CacheKeyFilter, expected: [URL: String?] = [:], patience: Duration = .seconds(120)) {
    self.filter = filter
    self.expected = expected
    self.patience = patience
  }

  /// The rules that the filter breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    let urls = Self.urls + expected.keys
    guard let names = await steps.onThread("Naming URLs", { urls.map(filter.original) }) else {
      return findings.violations
    }
    await steps.run("Naming URLs on many threads") {
      await Waiting.onThreads(4) { _ in
        for (url, name) in zip(urls, names) {
          findings.require(filter.original(for: url) == name, .nameIsStable, "\(url) has another name now.")
        }
      }
    }
    for (url, name) in zip(urls, names) {
      findings.require(name?.isEmpty != true, .namesAreNotEmpty, "\(url) has an empty name.")
      guard let known = expected[url] else { continue }
      findings.require(name == known, .namesAreRight, "\(url) is called \(name ?? "nothing").")
    }
    await steps.onThread("Naming many pictures") { checkApart(findings) }
    return findings.violations
  }

  private func checkApart(_ findings: Findings<Rule>) {
    var seen: [String: URL] = [:]
    for url in Self.pictures {
      guard let name = filter.original(for: url) else { continue }
      if let other = seen[name] {
        findings.add(
          .picturesAreApart, "\(other) and \(url) are both called \(name): one would be shown for the other.")
      }
      seen[name] = url
    }
  }

  /// Pictures whose paths end differently, on several servers and in several folders.
  private static let pictures: [URL] = (1...60).compactMap { number in
    URL(string: "https://host\(number % 3)/folder\(number % 4)/picture\(number).png?size=\(number % 2)&token=abc")
  }

  private static let urls = [
    "http://a/b.png", "http://a/b.png?size=1#top", "http://a", "file:///a/b", "data:,a", "a/b", "http://a/%2F?%00",
    "http://[::1]:80/\u{e9}",
  ].compactMap { URL(string: $0) }
}
