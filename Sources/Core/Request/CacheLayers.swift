/// The layers of a cache.
///
/// ```swift
/// let image = try await manager.image(for: url, context: [.storeLayers(.memory)])
/// try await manager.removeCachedImage(for: url, from: [.memory, .disk])
/// ```
public struct CacheLayers: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Makes a set from raw bits, which option sets need for their own operations.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The memory of the process.
  public static let memory = CacheLayers(rawValue: 1)
  /// The disk, or other storage that outlives the process.
  public static let disk = CacheLayers(rawValue: 2)
  /// A store that several machines use.
  public static let shared = CacheLayers(rawValue: 4)
  /// All layers.
  public static let all: CacheLayers = [.memory, .disk, .shared]
  /// The layers of this machine: memory and disk.
  public static let local: CacheLayers = [.memory, .disk]
}

extension CacheLayers: CustomStringConvertible {
  /// The names of the layers.
  public var description: String {
    let names = [(CacheLayers.memory, "memory"), (.disk, "disk"), (.shared, "shared")].filter { contains($0.0) }.map(
      \.1)
    return names.isEmpty ? "nowhere" : names.joined(separator: "+")
  }
}
