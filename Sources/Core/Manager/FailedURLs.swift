/// The URLs that failed for good, for a while.
final class FailedURLs: Sendable {
  private let lifetime: Duration
  private let capacity: Int
  private let clock: any ImageClock
  private let expiries = Locked<[CacheKey: Duration]>([:])

  init(lifetime: Duration, capacity: Int, clock: any ImageClock) {
    self.lifetime = lifetime.bounded
    self.capacity = capacity
    self.clock = clock
  }

  func contains(_ key: CacheKey) -> Bool {
    let now = clock.uptime
    return expiries.withLock { expiries in
      guard let expiry = expiries[key] else { return false }
      if expiry <= now { expiries[key] = nil }
      return expiry > now
    }
  }

  func insert(_ key: CacheKey) {
    let now = clock.uptime
    guard capacity > 0 else { return }
    expiries.withLock { expiries in
      defer { expiries[key] = now + lifetime }
      guard expiries[key] == nil, expiries.count >= capacity else { return }
      expiries = expiries.filter { $0.value > now }
      // Half at once, so that a flood of failures does not sort the list each time.
      guard expiries.count >= capacity else { return }
      let kept = expiries.sorted { $0.value > $1.value }.prefix(capacity / 2)
      expiries = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
  }

  func remove(_ key: CacheKey) {
    expiries.withLock { $0[key] = nil }
  }

  func removeAll() {
    expiries.withLock { $0 = [:] }
  }
}
