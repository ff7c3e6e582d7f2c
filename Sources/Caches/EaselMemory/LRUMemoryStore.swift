import EaselCore
import EaselSupport
import Synchronization

/// Keeps pictures in memory up to a limit, and evicts the least recently used ones first.
///
/// Lookups on different processors do not wait for each other; changes wait for lookups.
///
/// ```swift
/// let memory = LRUMemoryStore(LRUMemoryStore.Configuration(costLimit: 64 << 20))
/// configuration.cache = TieredCache(memory: memory)
/// ```
public final class LRUMemoryStore: MemoryStore {
  private let entries: ReadMostlyLock<MemoryEntries>
  private let shown = EvictedImages()
  private let clock: any ImageClock
  private let pressure: PressureWatcher
  private let evictions = Atomic(0)

  /// Creates an empty store with these limits, which shrinks when the system is short of memory.
  public convenience init(_ configuration: Configuration = Configuration()) {
    self.init(configuration, clock: SystemClock(), pressure: { SystemPressure() })
  }

  /// Creates a store with another clock.
  public convenience init(_ configuration: Configuration = Configuration(), clock: any ImageClock) {
    self.init(configuration, clock: clock, pressure: { SystemPressure() })
  }

  package init(
    _ configuration: Configuration, clock: any ImageClock,
    pressure: @escaping @Sendable () -> (any PressureSource)?
  ) {
    entries = ReadMostlyLock(MemoryEntries(configuration))
    self.clock = clock
    self.pressure = PressureWatcher(makeSource: pressure)
  }

  /// The limits of the store.
  ///
  /// If entries exceed a new limit, they are evicted at once.
  public var configuration: Configuration {
    get { entries.read { entries, _ in entries.configuration } }
    set {
      entries.write { $0.configuration = newValue }
      if !newValue.findsShownImages { shown.forgetAll() }
      trim()
    }
  }

  /// The entry under a key; the lookup counts as a use.
  public func entry(for key: CacheKey) -> CacheEntry? {
    let (found, timeToLive, findsShownImages) = entries.read { entries, counter in
      (entries.use(key, &counter), entries.timeToLive, entries.configuration.findsShownImages)
    }
    guard let found else { return findsShownImages ? shownEntry(for: key) : nil }
    // Reading the clock takes as long as the lookup, so it is read only if the store has a time to live.
    if timeToLive == .max || found.stored > now - timeToLive { return found.entry }
    removeExpired(key)
    return nil
  }

  /// Stores an entry, and replaces an older entry.
  ///
  /// An entry that exceeds the largest share only removes the older one.
  public func store(_ entry: CacheEntry, for key: CacheKey) {
    if configuration.findsShownImages { shown.forget(key) }
    store(entry, for: key, since: now)
    if !pressure.isStarted, configuration.shrinksUnderPressure { watchPressure() }
  }

  /// Removes the entries of this original that were made from bytes of another generation.
  ///
  /// The remaining entries, including the original, get `response` in their records unless it is nil.
  public func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {
    let old = entries.write { entries in
      entries.places(ofOriginal: key).map { place in
        entries[place].entry.record.generation == generation
          ? response.flatMap { entries.renew(place, $0) } : entries.remove(place).entry
      }
    }
    withExtendedLifetime(old) {}
    if configuration.findsShownImages { shown.renew(response, ofOriginal: key, generation: generation) }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey) {
    let removed = entries.write { entries in entries.place(of: key).map { entries.remove($0) } }
    withExtendedLifetime(removed) {}
    shown.forget(key)
  }

  /// True when there is an entry under the key; the question does not count as a use.
  public func contains(_ key: CacheKey) -> Bool {
    let oldest = oldestAllowed
    let isKept = entries.read { entries, _ in entries.place(of: key).map { entries[$0].stored > oldest } ?? false }
    return isKept || (configuration.findsShownImages && shown.contains(key))
  }

  /// Removes all entries.
  public func removeAll() {
    let removed = entries.write { $0.removeAll { _ in true } }
    withExtendedLifetime(removed) {}
    shown.forgetAll()
  }

  /// Removes entries that have expired or exceed the limits.
  public func trim() {
    let oldest = oldestAllowed
    let (removed, evicted) = entries.write { entries in
      let largest = entries.configuration.largestCost
      return (entries.removeAll { $0.stored <= oldest || $0.cost > largest }, entries.removeBeyondLimits())
    }
    withExtendedLifetime(removed) {}
    release(consume evicted)
  }

  /// The number of entries.
  public var count: Int { entries.read { entries, _ in entries.count } }

  /// The bytes of memory that the entries take.
  public var totalCost: Int { entries.read { entries, _ in entries.cost } }

  /// The number of entries that were evicted because the store was full or memory was short.
  package var evictionCount: Int { evictions.load(ordering: .relaxed) }

  /// Evicts the least recently used entries until the rest takes at most the given share of the present cost.
  public func shrink(to share: Double) {
    release(entries.write { $0.removeOldest(untilCost: Int(Double($0.cost) * min(1, max(0, share)))) })
  }
}

extension LRUMemoryStore {
  private static let mostWaitingBytes = 8 << 20

  private var now: Int64 { clock.uptime.inNanoseconds }

  private var oldestAllowed: Int64 {
    let timeToLive = entries.read { entries, _ in entries.timeToLive }
    return timeToLive == .max ? .min : now - timeToLive
  }

  private func store(_ entry: CacheEntry, for key: CacheKey, since stored: Int64) {
    let kept = MemoryEntries.Kept(key: key, entry: entry, cost: max(1, entry.memoryCost), stored: stored)
    let (replaced, evicted) = entries.write { entries in
      let replaced = entries.place(of: key).map { entries.remove($0) }
      if kept.cost <= entries.configuration.largestCost { entries.insert(kept) }
      return (replaced, entries.removeBeyondLimits())
    }
    withExtendedLifetime(replaced) {}
    release(consume evicted)
  }

  private func removeExpired(_ key: CacheKey) {
    let oldest = oldestAllowed
    let removed = entries.write { entries in
      entries.place(of: key).flatMap { entries[$0].stored <= oldest ? entries.remove($0) : nil }
    }
    withExtendedLifetime(removed) {}
  }

  /// Looks for the key among evicted images that other code still holds.
  private func shownEntry(for key: CacheKey) -> CacheEntry? {
    guard let found = shown.take(key), found.stored > oldestAllowed else { return nil }
    store(found.entry, for: key, since: found.stored)
    return found.entry
  }

  /// Releases evicted entries; images that other code still holds can be found again.
  private func release(_ evicted: consuming [MemoryEntries.Kept]) {
    guard !evicted.isEmpty else { return }
    evictions.add(evicted.count, ordering: .relaxed)
    let maybeShown = configuration.findsShownImages ? evicted.compactMap(EvictedImages.Shown.init) : []
    let largest = evicted.lazy.filter { $0.entry.image != nil }.map(\.cost).max()
    evicted = []
    if let largest { giveBackBuffers(keeping: 2 * largest) }
    for image in maybeShown { shown.remember(image) }
  }

  /// Buffers of evicted pictures can serve new pictures of the same size; with other sizes, they would pile up.
  private func giveBackBuffers(keeping bytes: Int) {
    let pool = BufferPool.shared
    if pool.waitingBytes > max(Self.mostWaitingBytes, bytes) { pool.removeAll() }
  }

  private func watchPressure() {
    pressure.start { [weak self] level in
      guard let self, configuration.shrinksUnderPressure else { return }
      shrink(to: level.keptShare)
      // Idle buffers in the pool wait for reuse, and keep memory from the system.
      BufferPool.shared.removeAll()
    }
  }
}
