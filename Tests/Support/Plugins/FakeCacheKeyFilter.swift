import EaselCore
import FoundationEssentials

/// A cache key filter that looks names up in a table and drops the query of every other URL.
public struct FakeCacheKeyFilter: CacheKeyFilter {
  private let names: [URL: String?]

  /// Creates a filter; a URL whose name is nil is not cached.
  public init(_ names: [URL: String?] = [:]) { self.names = names }

  /// The name of a URL.
  public func original(for url: URL) -> String? {
    if let name = names[url] { return name }
    return String(url.absoluteString.prefix { $0 != "?" && $0 != "#" })
  }
}
