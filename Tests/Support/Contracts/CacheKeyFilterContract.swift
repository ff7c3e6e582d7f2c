import EaselCore
import FoundationEssentials

/// The rules of every cache key filter.
public struct CacheKeyFilterContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// A URL has the same name each time, on every thread.
    case nameIsStable
    /// Names are not empty; nil means that the picture is not cached.
    case namesAreNotEmpty
    /// URLs have the expected names.
    case namesAreRight
    /// Pictures with different expected names get different names, and many pictures do not share one name.
    case picturesAreApart
    /// Every call returns.
    case ends
  }

  private let filter: any CacheKeyFilter
  private let expected: [URL: String?]
  private let patience: Duration

  /// Creates the suite; `expected` has the known names.
  public init(_ filter: any CacheKeyFilter, expected: [URL: String?] = [:], patience: Duration = .ofContracts) {
    self.filter = filter
    self.expected = expected
    self.patience = patience
  }

  /// Returns the rules that the filter breaks.
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

  /// Pictures with different file names, on several servers and in several folders.
  private static let pictures: [URL] = (1...60).compactMap { number in
    URL(string: "https://host\(number % 3)/folder\(number % 4)/picture\(number).png?size=\(number % 2)&token=abc")
  }

  private static let urls = [
    "http://a/b.png", "http://a/b.png?size=1#top", "http://a", "file:///a/b", "data:,a", "a/b", "http://a/%2F?%00",
    "http://[::1]:80/\u{e9}",
  ].compactMap { URL(string: $0) }
}
