/// What a context key means for what is cached.
public struct CacheImpact<Value>: Sendable {
  package enum Kind: Sendable { case neutral, bytes, pixels }

  package let kind: Kind
  // Nil for the keys of the core, which the resolved request writes in places of their own.
  package let describe: (@Sendable (Value) -> String)?

  package init(kind: Kind, describe: (@Sendable (Value) -> String)?) {
    self.kind = kind
    self.describe = describe
  }

  /// The value changes neither the bytes that come nor the pixels that are made of them.
  public static var neutral: CacheImpact { CacheImpact(kind: .neutral, describe: nil) }

  /// Other bytes come back for another value; `describe` tells values apart.
  public static func bytes(_ describe: @escaping @Sendable (Value) -> String) -> CacheImpact {
    CacheImpact(kind: .bytes, describe: describe)
  }

  /// Other pixels come out for another value; `describe` tells values apart.
  public static func pixels(_ describe: @escaping @Sendable (Value) -> String) -> CacheImpact {
    CacheImpact(kind: .pixels, describe: describe)
  }

  package static var composedBytes: CacheImpact { CacheImpact(kind: .bytes, describe: nil) }
  package static var composedPixels: CacheImpact { CacheImpact(kind: .pixels, describe: nil) }
}
