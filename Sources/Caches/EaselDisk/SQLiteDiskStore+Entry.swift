import EaselCore
import FoundationEssentials

extension SQLiteDiskStore {
  /// An entry in a listing of the store.
  public struct Entry: Sendable {
    /// The key of the entry.
    public let key: CacheKey
    /// The record of the entry; nil when it is damaged.
    public let record: CacheRecord?
    /// The number of bytes of the body.
    public let byteCount: Int
    /// The time of the last lookup.
    public let lastUse: Date
    /// The time of the last change of the bytes or the record.
    public let lastChange: Date
    /// The time at which it was first stored.
    public let creation: Date
  }
}
