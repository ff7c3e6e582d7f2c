/// A typed key of an ``ImageContext``, defined by a plug-in.
///
/// ``impact`` has no default: the author of a setting must state its effect on cached pictures.
public protocol ImageContextKey<Value> {
  /// The type of the values.
  associatedtype Value: Sendable
  /// The name in cache keys; it must be unique.
  static var name: String { get }
  /// The effect of the value on cached pictures.
  static var impact: CacheImpact<Value> { get }
}
