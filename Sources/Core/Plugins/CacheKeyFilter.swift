import FoundationEssentials

/// Names the original behind a URL in the caches.
public protocol CacheKeyFilter: Sendable {
  /// The name; nil keeps the picture out of every cache.
  func original(for url: URL) -> String?
}

/// A cache key filter made of a closure.
public struct ClosureCacheKeyFilter: CacheKeyFilter {
  let body: @Sendable (URL) -> String?

  /// Calls the closure.
  public func original(for url: URL) -> String? { body(url) }
}

extension CacheKeyFilter where Self == ClosureCacheKeyFilter {
  /// Calls `body`, which returns nil for what is not to be cached.
  public static func closure(_ body: @escaping @Sendable (URL) -> String?) -> Self { Self(body: body) }
}
