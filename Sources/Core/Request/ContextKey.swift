/// A key of an ``ImageContext`` as a value, so that the keys of the core read as `context[.transformer]`.
public struct ContextKey<Value: Sendable>: Sendable {
  @usableFromInline let id: ObjectIdentifier
  let name: String
  let impact: CacheImpact<Value>

  /// Makes a value of a key type.
  public init<Key: ImageContextKey>(_ key: Key.Type) where Key.Value == Value {
    id = ObjectIdentifier(key)
    name = key.name
    impact = key.impact
  }
}
