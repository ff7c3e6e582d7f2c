/// A typed key of an ``ImageContext``, for the author of a plug-in.
///
/// There is no default for ``impact``: whoever adds a setting must say what it means for the caches.
public protocol ImageContextKey<Value> {
  /// The type of the values.
  associatedtype Value: Sendable
  /// The name in cache keys, unlike that of any other key.
  static var name: String { get }
  /// What the value means for what is cached.
  static var impact: CacheImpact<Value> { get }
}
