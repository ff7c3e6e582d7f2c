/// A key of an ``ImageContext`` as a value, so that the keys of the core read as `context[.transformer]`.
///
/// Unchecked because the compiler cannot know that the type of a key is safe to share; types never change.
public struct ContextKey<Value: Sendable>: @unchecked Sendable {
  @usableFromInline let id: ObjectIdentifier
  // Name and impact are asked for when a value is set, so that reading one does not pay for them.
  private let type: any ImageContextKey<Value>.Type

  /// Makes a value of a key type.
  public init<Key: ImageContextKey>(_ key: Key.Type) where Key.Value == Value {
    id = ObjectIdentifier(key)
    type = key
  }

  var name: String { type.name }
  var impact: CacheImpact<Value> { type.impact }
}
