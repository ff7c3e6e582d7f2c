/// When a cached picture may be used.
///
/// Only answers to `GET` and `HEAD` are cached.
public enum CachePolicy: Hashable, Sendable {
  /// Until it expires from the cache, whatever the server said.
  case forever
  /// As long as RFC 9111 allows, and after that when the server confirms it.
  case http
}
