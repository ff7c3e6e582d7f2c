import EaselCore
import Synchronization

/// Keeps pictures in memory up to a limit, and lets go first of what has been unused for longest.
///
/// It is made of many parts with a lock each, so that threads seldom meet; its limits hold over all of them together.
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

  /// Creates a store that tells the time by `clock`.
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

  /// How much it keeps; what is over a new limit goes at once.
  public var configuration: Configuration {
    get { limits.configuration }
    set {
      limits.configuration = newValue
      if !newValue.findsShownImages { shown.forgetAll() }
      trim()
    }
  }

  /// What is kept under a key; asking counts as use.
  public func entry(for key: CacheKey) -> CacheEntry? {
    // Asking the clock costs as much as the lookup, so only a store whose entries age does.
    let oldest = limits.timeToLive == .max ? Int64.min : now - limits.timeToLive
    let found = shards.read(shardIndex(key), hash: key.precomputedHash) { shard, count in
      shard.use(key, newerThan: oldest, uses, &count)
    }
    return found ?? miss(key, newerThan: oldest)
  }

  /// Keeps an entry, in place of an older one; one that is larger than its share only takes the older one's place.
  public func store(_ entry: CacheEntry, for key: CacheKey) {
    if limits.findsShownImages { shown.forget(key) }
    store(entry, for: key, since: now)
    if limits.shrinksUnderPressure { watchPressure() }
  }

  /// Forgets what was made of other bytes of this original than `generation`.
  ///
  /// The rest, itself included, gets a new record of what its server said, where there is one.
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

  /// Forgets an entry.
  public func remove(_ key: CacheKey) {
    let index = shardIndex(key)
    let removed = shards.write(index) { shard in
      shard.place(of: key).map { remove($0, from: &shard, index) }
    }
    withExtendedLifetime(removed) {}
    shown.forget(key)
  }

  /// Whether something is kept under a key; asking is no use.
  public func contains(_ key: CacheKey) -> Bool {
    let oldest = oldestAllowed
    let isKept = shards.read(shardIndex(key), hash: key.precomputedHash) { shard, _ in
      shard.place(of: key).map { shard.stored(at: $0) > oldest } ?? false
    }
    return isKept || (limits.findsShownImages && shown.contains(key))
  }

  /// Forgets everything.
  public func removeAll() {
    removeAll { _, _ in true }
    shown.forgetAll()
  }

  /// Lets go of what is expired or over the limits.
  public func trim() {
    let oldest = oldestAllowed
    let largest = limits.largestCost
    removeAll { shard, place in shard.stored(at: place) <= oldest || shard.cost(at: place) > largest }
    keepLimits()
  }

  /// The number of entries.
  public var count: Int { number.load(ordering: .relaxed) }

  /// The memory that the entries take.
  public var totalCost: Int { cost.load(ordering: .relaxed) }

  /// Lets go of the entries unused for longest until the others take no more than a part of what they take now.
  public func shrink(to share: Double) {
    let target = Int(Double(totalCost) * min(1, max(0, share)))
    while totalCost > target, evictOldest() {}
  }
}

extension LRUMemoryStore {
  // Enough that threads on as many processors as servers have seldom meet, few enough to look at when one must go.
  private static let shardCount = 64

  private static let mostWaitingBytes = 8 << 20

  /// Everything made of one original lies in one shard, which makes renewing its record one short walk.
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

  /// Lets go of an expired entry, and looks among the images that are still shown.
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

  /// Lets go of the entry unused for longest; false when there is none.
  private func evictOldest() -> Bool {
    guard let index = ages.oldest else { return false }
    var removed = shards.write(index) { shard -> MemoryShard.Removed? in
      guard let oldest = shard.oldest() else { return nil }
      // Its oldest was used since it was last looked for: another shard may have an older one.
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
    // Even when nothing went: there may be more elsewhere.
    return true
  }

  /// Pictures leave their memory to the next ones of their size; where sizes differ, it would pile up beyond the limit.
  private func giveBackWhatNobodyReuses(_ size: Int) {
    let pool = BufferPool.shared
    if pool.waitingBytes > max(Self.mostWaitingBytes, 2 * size) { pool.removeAll() }
  }

  private func watchPressure() {
    pressure.start { [weak self] level in
      guard let self, limits.shrinksUnderPressure else { return }
      shrink(to: level.keptShare)
      // What pictures leave behind waits there for the next ones, which is no use to the system.
      BufferPool.shared.removeAll()
    }
  }
}
