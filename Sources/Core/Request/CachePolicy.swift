/// The rule that tells when a cached picture may be used.
///
/// Only responses to `GET` and `HEAD` are cached.
///
/// ```swift
/// let image = try await manager.image(for: url, context: [.cachePolicy(.http)])
/// ```
public enum CachePolicy: Hashable, Sendable {
  /// A cached picture may be used until the cache removes it, regardless of the response headers.
  case forever
  /// A cached picture may be used while RFC 9111 allows it, and later only if the server confirms it.
  case http
}
