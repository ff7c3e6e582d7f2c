/// Tracks the byte limits of everyone who waits for a run.
struct ByteLimits: Sendable {
  /// A waiting seat with a byte limit, and a closure that fails it when the run exceeds the limit.
  private struct Limited {
    let limit: Int
    let fail: @Sendable () -> Void
  }

  private var limited: [ObjectIdentifier: Limited] = [:]
  private var unlimitedCount = 0
  private var loosestOfLimited = 0
  private var tightest = Int.max

  /// The highest limit of all who wait.
  var loosest: Int { unlimitedCount > 0 ? .max : loosestOfLimited }

  mutating func addUnlimited() { unlimitedCount += 1 }

  mutating func add(_ id: ObjectIdentifier, _ limit: Int, fail: @escaping @Sendable () -> Void) {
    limited[id] = Limited(limit: limit, fail: fail)
    loosestOfLimited = max(loosestOfLimited, limit)
    tightest = min(tightest, limit)
  }

  mutating func remove(_ id: ObjectIdentifier, _ limit: Int) {
    guard limit < .max else {
      unlimitedCount -= 1
      return
    }
    if limited.removeValue(forKey: id) != nil, limit == loosestOfLimited || limit == tightest { recount() }
  }

  /// Removes everyone whose limit is below `count`, and returns the closures that fail them.
  mutating func removeThose(below count: Int) -> [@Sendable () -> Void] {
    guard count > tightest else { return [] }
    let leaving = limited.filter { $0.value.limit < count }
    for id in leaving.keys { limited[id] = nil }
    recount()
    return leaving.values.map(\.fail)
  }

  private mutating func recount() {
    loosestOfLimited = limited.values.lazy.map(\.limit).max() ?? 0
    tightest = limited.values.lazy.map(\.limit).min() ?? .max
  }
}
