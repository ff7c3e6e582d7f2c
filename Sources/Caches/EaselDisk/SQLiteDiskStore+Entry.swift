import EaselCore
import FoundationEssentials

extension SQLiteDiskStore {
  /// What a listing of the store says about an entry.
  public struct Entry: Sendable {
    /// Its key.
    public let key: CacheKey
    /// What is known about it, nil when that is damaged.
    public let record: CacheRecord?
    /// The number of bytes of its body.
    public let byteCount: Int
    /// When it was last asked for.
    public let lastUse: Date
    /// When its bytes or its record last changed.
    public let lastChange: Date
    /// When it was first stored.
    public let creation: Date
  }
}
