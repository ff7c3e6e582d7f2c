import EaselCore

extension LRUMemoryStore {
  /// The limits of a store.
  public struct Configuration: Hashable, Sendable {
    /// The most bytes of memory that all entries take together.
    public var costLimit: Int
    /// The most entries; nil for no limit.
    public var countLimit: Int?
    /// The share of ``costLimit`` that one entry may take, from 0 to 1.
    ///
    /// Larger entries are not stored.
    public var largestShare = 0.5
    /// The time that an entry is kept after it was stored; nil for no limit.
    public var timeToLive: Duration?
    /// True when an evicted image is found again while some other part of the program still holds it.
    public var findsShownImages = false
    /// True when the store shrinks while the system is short of memory.
    public var shrinksUnderPressure = true

    /// Sets how many bytes and how many entries the store keeps.
    ///
    /// The default limit is a quarter of the memory that the process may use.
    public init(costLimit: Int = LRUMemoryStore.Budget.defaultCostLimit, countLimit: Int? = nil) {
      self.costLimit = costLimit
      self.countLimit = countLimit
    }

    /// The highest cost of one entry.
    var largestCost: Int {
      let share = min(1, max(0, largestShare.isNaN ? 0 : largestShare))
      let cost = Double(max(0, costLimit)) * share
      return cost >= Double(Int.max) ? .max : Int(cost)
    }

    /// The time to live; `.max` when entries do not expire.
    var nanosecondsToLive: Int64 { timeToLive?.bounded.inNanoseconds ?? .max }
  }
}

extension Duration {
  /// The duration in nanoseconds; for centuries, the largest number.
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowsAgain) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows || overflowsAgain ? (seconds < 0 ? .min : .max) : sum
  }
}
