/// One operation on the pixels, as written in a cache key.
public struct KeySuffix: Sendable {
  /// The source of a suffix.
  ///
  /// Equal texts from different sources are different suffixes.
  public enum Origin: UInt8, Hashable, Sendable, Codable {
    /// The decoder, which made the picture smaller.
    case size
    /// A transformer.
    case transformer
    /// A setting of the core.
    case setting
    /// A context key of a plug-in.
    case custom
  }

  /// The source of the suffix.
  public let origin: Origin
  /// The text of the suffix, such as `Flip(1,0)`.
  public let text: String

  /// Creates a suffix.
  public init(_ text: String, origin: Origin = .transformer) {
    self.text = text
    self.origin = origin
  }
}

extension KeySuffix: Hashable {
  /// True when source and text are equal; the text is compared byte by byte.
  public static func == (left: KeySuffix, right: KeySuffix) -> Bool {
    left.origin == right.origin && KeyText.isSame(left.text, right.text)
  }

  /// Hashes the values that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(origin)
    hasher.combine(text)
  }
}
