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
