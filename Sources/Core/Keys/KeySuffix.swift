/// One thing that was done to the pixels, as it stands in a cache key.
public struct KeySuffix: Sendable {
  /// Who wrote the suffix; two that read alike but come from different places are different.
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

  /// Who wrote it.
  public let origin: Origin
  /// What it says: `Flip(1,0)`.
  public let text: String

  /// Creates a suffix.
  public init(_ text: String, origin: Origin = .transformer) {
    self.text = text
    self.origin = origin
  }
}

extension KeySuffix: Hashable {
  /// Whether both come from the same place and say the same, byte by byte.
  public static func == (left: KeySuffix, right: KeySuffix) -> Bool {
    left.origin == right.origin && KeyText.isSame(left.text, right.text)
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(origin)
    hasher.combine(text)
  }
}
