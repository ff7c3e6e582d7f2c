extension CacheGroup {
  /// The policy of each operation of a group.
  public struct Policies: Hashable, Sendable {
    /// The policy of lookups.
    public var query = CacheGroupPolicy.serial
    /// The policy of storing an entry.
    public var store = CacheGroupPolicy.highestOnly
    /// The policy of renewing the record of an original.
    public var renew = CacheGroupPolicy.concurrent
    /// The policy of removing an entry.
    public var remove = CacheGroupPolicy.concurrent
    /// The policy of asking which layers hold an entry.
    public var contains = CacheGroupPolicy.serial
    /// The policy of removing all entries.
    public var clear = CacheGroupPolicy.concurrent
    /// The policy of removing expired entries.
    public var trim = CacheGroupPolicy.concurrent

    /// Creates the default policies: look up from the highest down, store in the highest, remove everywhere.
    public init() {}
  }
}
