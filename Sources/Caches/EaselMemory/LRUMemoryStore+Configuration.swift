extension LRUMemoryStore {
  /// How much a store keeps, and for how long.
  public struct Configuration: Hashable, Sendable {
    /// The most bytes of memory that all entries take together.
    public var costLimit: Int
    /// The most entries, nil for any number.
    public var countLimit: Int?
    /// The part of ``costLimit`` that one entry may take, from 0 to 1; a larger one is not kept.
    public var largestShare = 0.5
    /// How long an entry is kept after it was stored, nil for as long as there is room.
    public var timeToLive: Duration?
    /// Whether an image that was let go of is found again for as long as someone shows it.
    public var findsShownImages = false
    /// Whether the store shrinks when the system runs short of memory.
    public var shrinksUnderPressure = true

    /// Creates a configuration; without a limit it is a quarter of what the process may use.
    public init(costLimit: Int = MemoryBudget.defaultCostLimit, countLimit: Int? = nil) {
      self.costLimit = costLimit
      self.countLimit = countLimit
    }

    /// The most that one entry may cost.
    var largestCost: Int {
      let share = min(1, max(0, largestShare.isNaN ? 0 : largestShare))
      let cost = Double(max(0, costLimit)) * share
      return cost >= Double(Int.max) ? .max : Int(cost)
    }
  }
}
