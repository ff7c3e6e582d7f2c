import EaselCore
import Synchronization

/// Keeps pictures in memory up to a limit and evicts the least recently used ones first.
///
/// The store has many shards with locks of their own, so that threads seldom wait for each other. The limits apply to
/// all shards together.
public final class LRUMemoryStore: MemoryStore {
  private let shards = MemoryShards(count: LRUMemoryStore.shardCount)
  private let uses = UseClock()
  private let ages: ShardAges
  private let cost = Atomic(0)
  private let number = Atomic(0)
  private let limits: LiveLimits
  private let shown = ShownImages()
  private let clock: any ImageClock
  private let pressure: PressureWatcher

  /// Creates a store.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, clock: SystemClock(), pressure: { SystemPressure() })
  }

  /// Creates a store that uses a given clock.
  public convenience init(_ configuration: Configuration = Configuration(), clock: any ImageClock) {
    self.init(configuration, clock: clock, pressure: { SystemPressure() })
  }

  package init(
    _ configuration: Configuration, clock: any ImageClock,
    pressure: @escaping @Sendable () -> (any PressureSource)?
  ) {
    ages = ShardAges(count: Self.shardCount)
    limits = LiveLimits(configuration)
    self.clock = clock
    self.pressure = PressureWatcher(makeSource: pressure)
  }

  /// The limits of the store.
  ///
  /// Entries over a new limit are evicted at once.
  public var configuration: Configuration {
    get { limits.configuration }
    set {
      limits.configuration = newValue
      if !newValue.findsShownImages { shown.forgetAll() }
      trim()
    }
  }

  /// The entry under a key; a lookup counts as a use.
  public func entry(for key: CacheKey) -> CacheEntry? {
    // Reading the clock costs as much as the lookup, so only a store with a time to live does it.
    let oldest = limits.timeToLive == .max ? Int64.min : now - limits.timeToLive
    let found = shards.read(shardIndex(key), hash: key.precomputedHash) { shard, count in
      shard.use(key, newerThan: oldest, uses, &count)
    }
    return found ?? miss(key, newerThan: oldest)
  }

  /// Stores an entry and replaces an older one.
  ///
  /// An entry above its largest share only removes the older one.
  public func store(_ entry: CacheEntry, for key: CacheKey) {
    if limits.findsShownImages { shown.forget(key) }
    store(entry, for: key, since: now)
    if limits.shrinksUnderPressure { watchPressure() }
  }

  /// Removes the entries of this original that were made from other bytes than those of `generation`.
  ///
  /// The remaining entries, that of the original included, get `response` as their record unless it is nil.
  public func renew(_ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64) {
    let index = shardIndex(key)
    let (removed, replaced) = shards.write(index) { shard in
      let (kept, others) = shard.places(ofOriginal: key).reduce(into: ([Int](), [Int]())) { places, place in
        if shard.entry(at: place).record.generation == generation {
          places.0.append(place)
        } else {
          places.1.append(place)
        }
      }
      let replaced = response.map { response in kept.map { shard.renew($0, response) } }
      return (others.map { remove($0, from: &shard, index) }, replaced)
    }
    withExtendedLifetime((removed, replaced)) {}
    if limits.findsShownImages { shown.renew(response, ofOriginal: key, generation: generation) }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey) {
    let index = shardIndex(key)
    let removed = shards.write(index) { shard in
      shard.place(of: key).map { remove($0, from: &shard, index) }
    }
    withExtendedLifetime(removed) {}
    shown.forget(key)
  }

  /// True when an entry is kept under the key; this does not count as a use.
  public func contains(_ key: CacheKey) -> Bool {
    let oldest = oldestAllowed
    let isKept = shards.read(shardIndex(key), hash: key.precomputedHash) { shard, _ in
      shard.place(of: key).map { shard.stored(at: $0) > oldest } ?? false
    }
    return isKept || (limits.findsShownImages && shown.contains(key))
  }

  /// Removes all entries.
  public func removeAll() {
    removeAll { _, _ in true }
    shown.forgetAll()
  }

  /// Removes entries that have expired or exceed the limits.
  public func trim() {
    let oldest = oldestAllowed
    let largest = limits.largestCost
    removeAll { shard, place in shard.stored(at: place) <= oldest || shard.cost(at: place) > largest }
    keepLimits()
  }

  /// The number of entries.
  public var count: Int { number.load(ordering: .relaxed) }

  /// The bytes of memory that the entries take.
  public var totalCost: Int { cost.load(ordering: .relaxed) }

  /// Evicts the least recently used entries until the rest takes at most the given share of the present cost.
  public func shrink(to share: Double) {
    let target = Int(Double(totalCost) * min(1, max(0, share)))
    while totalCost > target, evictOldest() {}
  }
}

extension LRUMemoryStore {
  // Enough that threads on many processors seldom meet, and few enough to scan for an eviction.
  private static let shardCount = 64

  private static let mostWaitingBytes = 8 << 20

  /// All entries made of one original lie in one shard, so that renewing its record scans only that shard.
  @inline(__always)
  private func shardIndex(_ key: CacheKey) -> Int { key.precomputedHash & (Self.shardCount - 1) }

  private var now: Int64 { clock.uptime.inNanoseconds }

  private var oldestAllowed: Int64 { limits.timeToLive == .max ? .min : now - limits.timeToLive }

  private func store(_ entry: CacheEntry, for key: CacheKey, since stored: Int64) {
    let size = max(1, entry.memoryCost)
    let fits = size <= limits.largestCost
    let index = shardIndex(key)
    let replaced = shards.write(index) { shard in
      let replaced = shard.place(of: key).map { remove($0, from: &shard, index) }
      guard fits else { return replaced }
      let stamp = shard.insert(key, entry, cost: size, stored: stored, uses)
      if shard.count == 1 { ages.set(index, stamp) }
      cost.wrappingAdd(size, ordering: .relaxed)
      number.wrappingAdd(1, ordering: .relaxed)
      return replaced
    }
    withExtendedLifetime(replaced) {}
    keepLimits()
  }

  /// Removes an expired entry, then looks among evicted images that are still held elsewhere.
  private func miss(_ key: CacheKey, newerThan oldest: Int64) -> CacheEntry? {
    if oldest > .min { removeExpired(key, oldest) }
    guard limits.findsShownImages, let found = shown.take(key), found.stored > oldest else { return nil }
    store(found.entry, for: key, since: found.stored)
    return found.entry
  }

  private func removeExpired(_ key: CacheKey, _ oldest: Int64) {
    let index = shardIndex(key)
    let removed = shards.write(index) { shard in
      shard.place(of: key).flatMap { shard.stored(at: $0) <= oldest ? remove($0, from: &shard, index) : nil }
    }
    withExtendedLifetime(removed) {}
  }

  private func remove(_ place: Int, from shard: inout MemoryShard, _ index: Int) -> MemoryShard.Removed {
    let removed = shard.remove(place)
    if shard.count == 0 { ages.set(index, .max) }
    cost.wrappingSubtract(removed.cost, ordering: .relaxed)
    number.wrappingSubtract(1, ordering: .relaxed)
    return removed
  }

  private func removeAll(where isUnwanted: (borrowing MemoryShard, Int) -> Bool) {
    for index in 0..<shards.count {
      let removed = shards.write(index) { shard in
        shard.places.filter { isUnwanted(shard, $0) }.map { remove($0, from: &shard, index) }
      }
      withExtendedLifetime(removed) {}
    }
  }

  private func keepLimits() {
    while totalCost > limits.cost || count > limits.count, evictOldest() {}
  }

  /// Evicts the least recently used entry; false when there is none.
  private func evictOldest() -> Bool {
    guard let index = ages.oldest else { return false }
    var removed = shards.write(index) { shard -> MemoryShard.Removed? in
      guard let oldest = shard.oldest() else { return nil }
      // The oldest entry here was used since the last search, so another shard may have an older one.
      guard oldest.stamp <= ages[index] else {
        ages.set(index, oldest.stamp)
        return nil
      }
      let removed = remove(oldest.place, from: &shard, index)
      ages.set(index, shard.oldest()?.stamp ?? .max)
      return removed
    }
    let mayBeShown = limits.findsShownImages ? removed.flatMap(ShownImages.Shown.init) : nil
    let size = removed?.entry.image == nil ? 0 : removed?.cost ?? 0
    removed = nil
    if size > 0 { giveBackWhatNobodyReuses(size) }
    if let mayBeShown { shown.remember(mayBeShown) }
    // True even when nothing was evicted: another shard may have more.
    return true
  }

  /// Frees the idle buffers of the pool when they pile up.
  ///
  /// An evicted picture leaves its buffer to a new picture of the same size. If no such picture comes, nobody uses it
  /// again.
  private func giveBackWhatNobodyReuses(_ size: Int) {
    let pool = BufferPool.shared
    if pool.waitingBytes > max(Self.mostWaitingBytes, 2 * size) { pool.removeAll() }
  }

  private func watchPressure() {
    pressure.start { [weak self] level in
      guard let self, limits.shrinksUnderPressure else { return }
      shrink(to: level.keptShare)
      // Idle buffers wait there for reuse, which does not help the system.
      BufferPool.shared.removeAll()
    }
  }
}
