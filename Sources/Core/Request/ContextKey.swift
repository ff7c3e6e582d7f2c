/// The names of all context keys, for `context[.transformer]` as well as for `[.transformer(x)]`.
///
/// A plug-in adds its own in an extension: `static let stripes = ContextKey(StripesKey.self)`.
public class ContextKeys: @unchecked Sendable {
  // Unchecked, because the compiler cannot check a class with subclasses. All these classes are immutable.
  package init() {}
}

/// A key of an ``ImageContext`` as a value, so that code can write `context[.transformer]`.
public final class ContextKey<Value: Sendable>: ContextKeys, @unchecked Sendable {
  package let name: String
  let impact: ImageContext.Impact<Value>
  // Nil for a key of the core, whose own object identifies it.
  @usableFromInline package let type: ObjectIdentifier?

  @inlinable package var id: ObjectIdentifier { type ?? ObjectIdentifier(self) }

  /// Creates a key of the core; keep the object, because each new object is a different key.
  package init(_ name: String, _ impact: ImageContext.Impact<Value>) {
    self.name = name
    self.impact = impact
    type = nil
  }

  /// Makes a key from its type.
  public init<Key: ImageContext.Key>(_ key: Key.Type) where Key.Value == Value {
    name = key.name
    impact = key.impact
    type = ObjectIdentifier(key)
  }

  /// Pairs the key with a value, for array literals of a context.
  public func callAsFunction(_ value: Value) -> ImageContext.Entry { ImageContext.Setting(self, value) }
}

extension ImageContext {
  /// A typed key of an ``ImageContext``, defined by a plug-in.
  ///
  /// ``impact`` has no default: the author of a setting must state its effect on cached pictures. The rest follows from
  /// it. Loads with different values share all work if the impact is neutral, only the bytes if it is on pixels, and
  /// nothing if it is on bytes. A failure is remembered for the URL unless the impact is on pixels. To change this, use
  /// ``ImageContext/Impact/sharing(_:by:)`` and ``ImageContext/Impact/forgettingFailures()``.
  ///
  /// ```swift
  /// enum TenantKey: ImageContext.Key {
  ///   static let name = "tenant"
  ///   static let impact = ImageContext.Impact<String>.bytes { $0 }
  /// }
  /// var context = ImageContext()
  /// context[TenantKey.self] = "blue"
  /// ```
  public protocol Key<Value> {
    /// The type of the values.
    associatedtype Value: Sendable
    /// The name in cache keys; it must be unique.
    static var name: String { get }
    /// The effect of the value on cached pictures.
    static var impact: ImageContext.Impact<Value> { get }
  }
}

extension ImageContext {
  /// Kinds of work that loads share.
  public struct SharedRuns: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: UInt8

    /// Makes a set from raw bits, which option sets need for their own operations.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// All work for a picture, from the lookup in the caches to the stores.
    public static let picture = SharedRuns(rawValue: 1)
    /// The transfer of the bytes; loads that do not share it share no picture.
    public static let transfer = SharedRuns(rawValue: 3)
    /// Decoding and transforming; loads that do not share it share no picture.
    public static let pixels = SharedRuns(rawValue: 5)
  }
}

extension ImageContext {
  /// The effect of a context key on cache keys, on the work that loads share, and on the list of failed URLs.
  public struct Impact<Value>: Sendable {
    package enum Kind: Sendable { case neutral, bytes, pixels }

    package let kind: Kind
    // Nil for the keys of the core, because the manager adds their values to the cache key itself.
    package let describe: (@Sendable (Value) -> String)?
    // The kinds of work that loads with different values do not share, even if their cache keys are equal.
    package private(set) var keptApart: ImageContext.SharedRuns = []
    private(set) var describeForSharing: (@Sendable (Value) -> String)?
    package private(set) var forgetsFailures = false

    private init(_ kind: Kind, describe: (@Sendable (Value) -> String)? = nil) {
      self.kind = kind
      self.describe = describe
    }

    /// The value changes neither the received bytes nor the pixels made from them.
    public static var neutral: Impact { Impact(.neutral) }

    /// Different values lead to different bytes; `describe` distinguishes the values in the cache key.
    public static func bytes(_ describe: @escaping @Sendable (Value) -> String) -> Impact {
      Impact(.bytes, describe: describe)
    }

    /// Different values lead to different pixels; `describe` distinguishes the values in the cache key.
    public static func pixels(_ describe: @escaping @Sendable (Value) -> String) -> Impact {
      Impact(.pixels, describe: describe).forgettingFailures()
    }

    package static var composedBytes: Impact { Impact(.bytes) }
    package static var composedPixels: Impact { Impact(.pixels) }
  }
}

extension ImageContext.Impact {
  /// The same impact, for a value that also changes how the work is done: only loads with equal values share the work.
  ///
  /// `describe` distinguishes the values. It is called once, when the value is set.
  public func sharing(_ runs: ImageContext.SharedRuns, by describe: @escaping @Sendable (Value) -> String) -> Self {
    var impact = self
    (impact.keptApart, impact.describeForSharing) = (runs, describe)
    return impact
  }

  /// The same impact, for a value that can itself make a load fail; the failure is not remembered for the URL.
  public func forgettingFailures() -> Self {
    var impact = self
    impact.forgetsFailures = true
    return impact
  }
}
