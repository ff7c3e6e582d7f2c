/// What happened to a picture on its way.
public struct ImageTraits: OptionSet, Hashable, Sendable, Codable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Only a part of the file was there.
  public static let partial = ImageTraits(rawValue: 1)
  /// It was decoded smaller than it is stored.
  public static let thumbnail = ImageTraits(rawValue: 2)
  /// A transformer made it.
  public static let transformed = ImageTraits(rawValue: 4)
}
