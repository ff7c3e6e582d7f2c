/// A key of an ``ImageContext`` as a value, so that code can write `context[.transformer]`.
///
/// Unchecked, because the compiler cannot know that the type of a key is safe to share. Types never change.
public struct ContextKey<Value: Sendable>: @unchecked Sendable {
  @usableFromInline let id: ObjectIdentifier
  // Name and impact are computed when a value is set, so that reading a value does not pay for them.
  private let type: any ImageContextKey<Value>.Type

  /// Creates a key from its type.
  public init<Key: ImageContextKey>(_ key: Key.Type) where Key.Value == Value {
    id = ObjectIdentifier(key)
    type = key
  }

  var name: String { type.name }
  var impact: CacheImpact<Value> { type.impact }
}
