import FoundationEssentials

/// Chooses the name of the original at a URL for the cache keys.
///
/// ```swift
/// configuration.cacheKeyFilter = .closure { url in String(url.absoluteString.prefix { $0 != "?" }) }
/// ```
public protocol CacheKeyFilter: Sendable {
  /// The name of the original; nil keeps the picture out of every cache.
  func original(for url: URL) -> String?
}

/// A cache key filter made of a closure.
public struct ClosureCacheKeyFilter: CacheKeyFilter {
  package let body: @Sendable (URL) -> String?

  /// Calls the closure.
  public func original(for url: URL) -> String? { body(url) }
}

extension CacheKeyFilter where Self == ClosureCacheKeyFilter {
  /// Calls `body` for the name; nil keeps the picture out of every cache.
  public static func closure(_ body: @escaping @Sendable (URL) -> String?) -> Self { Self(body: body) }
}
