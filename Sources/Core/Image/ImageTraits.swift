/// Flags that tell how an image was made.
public struct ImageTraits: OptionSet, Hashable, Sendable, Codable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Decoded from only a part of the file.
  public static let partial = ImageTraits(rawValue: 1)
  /// Decoded at a smaller size than stored.
  public static let thumbnail = ImageTraits(rawValue: 2)
  /// Made by a transformer.
  public static let transformed = ImageTraits(rawValue: 4)
}
