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
  }

  private let filter: any CacheKeyFilter
  private let expected: [URL: String?]

  /// Creates the suite; `expected` holds names that are known.
  public init(_ filter: any CacheKeyFilter, expected: [URL: String?] = [:]) {
    self.filter = filter
    self.expected = expected
  }

  /// The rules that the filter breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let urls = Self.urls + expected.keys
    let names = urls.map(filter.original)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for (url, name) in zip(urls, names) {
            findings.require(filter.original(for: url) == name, .nameIsStable, "\(url) has another name now.")
          }
        }
      }
    }
    for (url, name) in zip(urls, names) {
      findings.require(name?.isEmpty != true, .namesAreNotEmpty, "\(url) has an empty name.")
      guard let known = expected[url] else { continue }
      findings.require(name == known, .namesAreRight, "\(url) is called \(name ?? "nothing").")
    }
    return findings.violations
  }

  private static let urls = [
    "http://a/b.png", "http://a/b.png?size=1#top", "http://a", "file:///a/b", "data:,a", "a/b", "http://a/%2F?%00",
    "http://[::1]:80/\u{e9}",
  ].compactMap { URL(string: $0) }
}
