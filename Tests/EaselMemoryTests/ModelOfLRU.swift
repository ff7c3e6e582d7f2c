import EaselCore

/// The simplest model of a least-recently-used store.
struct ModelOfLRU {
  let costLimit: Int
  let countLimit: Int
  private(set) var entries: [(key: CacheKey, entry: CacheEntry)] = []

  init(costLimit: Int, countLimit: Int) {
    self.costLimit = costLimit
    self.countLimit = countLimit
  }

  var cost: Int { entries.reduce(0) { $0 + $1.entry.memoryCost } }

  mutating func entry(for key: CacheKey) -> CacheEntry? {
    guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
    entries.append(entries.remove(at: place))
    return entries.last?.entry
  }

  mutating func store(_ entry: CacheEntry, for key: CacheKey) {
    remove(key)
    guard entry.memoryCost <= costLimit / 2 else { return }
    entries.append((key, entry))
    while cost > costLimit || entries.count > countLimit { entries.removeFirst() }
  }

  mutating func remove(_ key: CacheKey) { entries.removeAll { $0.key == key } }
}
