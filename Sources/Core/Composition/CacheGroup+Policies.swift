extension CacheGroup {
  /// The policy of each operation of a group.
  public struct Policies: Hashable, Sendable {
    /// For looking something up.
    public var query = CacheGroupPolicy.serial
    /// For keeping something.
    public var store = CacheGroupPolicy.highestOnly
    /// For renewing the record of an original.
    public var renew = CacheGroupPolicy.concurrent
    /// For forgetting something.
    public var remove = CacheGroupPolicy.concurrent
    /// For asking where something is.
    public var contains = CacheGroupPolicy.serial
    /// For forgetting everything.
    public var clear = CacheGroupPolicy.concurrent
    /// For letting go of what is old.
    public var trim = CacheGroupPolicy.concurrent

    /// Creates the usual policies: look from the highest down, keep in the highest, forget everywhere.
    public init() {}
  }
}
