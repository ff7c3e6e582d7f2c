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

/// The effect of a context key on cache keys.
public struct CacheImpact<Value>: Sendable {
  package enum Kind: Sendable { case neutral, bytes, pixels }

  package let kind: Kind
  // Nil for the keys of the core, which the resolved request adds to the cache key itself.
  package let describe: (@Sendable (Value) -> String)?

  package init(kind: Kind, describe: (@Sendable (Value) -> String)?) {
    self.kind = kind
    self.describe = describe
  }

  /// The value changes neither the received bytes nor the pixels made from them.
  public static var neutral: CacheImpact { CacheImpact(kind: .neutral, describe: nil) }

  /// Different values lead to different bytes; `describe` distinguishes the values in the cache key.
  public static func bytes(_ describe: @escaping @Sendable (Value) -> String) -> CacheImpact {
    CacheImpact(kind: .bytes, describe: describe)
  }

  /// Different values lead to different pixels; `describe` distinguishes the values in the cache key.
  public static func pixels(_ describe: @escaping @Sendable (Value) -> String) -> CacheImpact {
    CacheImpact(kind: .pixels, describe: describe)
  }

  package static var composedBytes: CacheImpact { CacheImpact(kind: .bytes, describe: nil) }
  package static var composedPixels: CacheImpact { CacheImpact(kind: .pixels, describe: nil) }
}
