import FoundationEssentials

/// Names the original behind a URL in the caches.
public protocol CacheKeyFilter: Sendable {
  /// The name; nil keeps the picture out of every cache.
  func original(for url: URL) -> String?
}
