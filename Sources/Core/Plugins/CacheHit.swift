/// What a cache found, and where.
public struct CacheHit: Sendable {
  /// What it found.
  public let entry: CacheEntry
  /// The one layer that had it.
  public let layer: CacheLayers

  /// Creates a hit.
  public init(_ entry: CacheEntry, in layer: CacheLayers) {
    self.entry = entry
    self.layer = layer
  }
}
