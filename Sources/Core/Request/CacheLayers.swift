/// The layers of a cache.
public struct CacheLayers: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The memory of the process.
  public static let memory = CacheLayers(rawValue: 1)
  /// The disk, or other storage that outlives the process.
  public static let disk = CacheLayers(rawValue: 2)
  /// All layers.
  public static let all: CacheLayers = [.memory, .disk]
}

extension CacheLayers: CustomStringConvertible {
  /// The names of the layers.
  public var description: String {
    let names = [(CacheLayers.memory, "memory"), (.disk, "disk")].filter { contains($0.0) }.map(\.1)
    return names.isEmpty ? "nowhere" : names.joined(separator: "+")
  }
}
