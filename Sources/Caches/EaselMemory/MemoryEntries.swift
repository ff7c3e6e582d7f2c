import EaselCore
import Synchronization

/// The entries of a memory store, with the tables that find them, their last uses, and the order of eviction.
///
/// Several threads may look up entries at the same time, but never while a thread changes them: ``ReadMostlyLock``
/// ensures that. Removed entries are returned to the caller, who releases them outside the lock, because releasing the
/// last reference to a key or a picture may run user code.
struct MemoryEntries: ~Copyable {
  /// An entry with its key and the time at which it was stored.
  struct Kept {
    var key: CacheKey
    var entry: CacheEntry
    var cost: Int
    /// The time at which the entry was stored.
    var stored: Int64
  }

  var configuration: LRUMemoryStore.Configuration {
    didSet { timeToLive = configuration.nanosecondsToLive }
  }

  /// The time to live in nanoseconds; `.max` when entries do not expire.
  private(set) var timeToLive: Int64
  private(set) var count = 0
  private(set) var cost = 0

  // All keys of one original are in one table, so that renewing its record searches only that table.
  private let tables: UnsafeMutablePointer<KeyTable>
  private static let tableCount = 256

  // Indexed by place. Place 0 stays empty, because 0 marks an empty slot in a table.
  private var entries: [Kept?] = [nil]
  private var freePlaces: [Int] = []
  /// The stamp of the last use at each place; it is apart from the entries, because hits write here.
  private var stamps = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: 0)
  private var stampCapacity = 0
  private var queue = EvictionQueue()
  private let clock = UseCounter()
  private var period = 1

  init(_ configuration: LRUMemoryStore.Configuration) {
    self.configuration = configuration
    timeToLive = configuration.nanosecondsToLive
    tables = .allocate(capacity: Self.tableCount)
    for index in 0..<Self.tableCount { tables.advanced(by: index).initialize(to: KeyTable()) }
  }

  deinit {
    tables.deinitialize(count: Self.tableCount)
    tables.deallocate()
    stamps.deallocate()
  }

  /// Looks up an entry, and notes the use; `counter` counts the uses.
  @inline(__always)
  func use(_ key: CacheKey, _ counter: inout Int) -> (entry: CacheEntry, stored: Int64)? {
    guard let slot = slot(of: key) else { return nil }
    counter &+= 1
    stamps[Int(slot.place)].store(clock.stamp(counter, period: period), ordering: .relaxed)
    return (slot.entry.unsafelyUnwrapped.takeUnretainedValue(), slot.stored)
  }

  /// The place of the entry under a key.
  func place(of key: CacheKey) -> Int? { slot(of: key).map { Int($0.place) } }

  /// The places of all entries made from the original of `key`.
  func places(ofOriginal key: CacheKey) -> [Int] {
    table(of: key).pointee.places.filter { self[$0].key.hasSameOriginal(as: key) }
  }

  /// The entry at a place, which must have one.
  subscript(place: Int) -> Kept { entries[place].unsafelyUnwrapped }

  /// Adds an entry, which counts as a use; the key must not have an entry yet.
  mutating func insert(_ kept: Kept) {
    let place = freePlaces.popLast() ?? addPlace()
    entries[place] = kept
    stamps[place].store(clock.newStamp, ordering: .relaxed)
    table(of: kept.key).pointee.insert(kept, place)
    count += 1
    cost += kept.cost
    period = UseCounter.period(entries: count)
  }

  mutating func remove(_ place: Int) -> Kept {
    let kept = self[place]
    table(of: kept.key).pointee.remove(kept.key, place)
    entries[place] = nil
    freePlaces.append(place)
    count -= 1
    cost -= kept.cost
    period = UseCounter.period(entries: count)
    return kept
  }

  mutating func removeAll(where isUnwanted: (Kept) -> Bool) -> [Kept] {
    entries.indices.filter { entries[$0].map(isUnwanted) ?? false }.map { remove($0) }
  }

  /// Removes the least recently used entries until the rest keeps the limits of the store.
  mutating func removeBeyondLimits() -> [Kept] {
    removeOldest(untilCost: configuration.costLimit, count: configuration.countLimit ?? .max)
  }

  /// Removes the least recently used entries until the rest keeps both limits.
  mutating func removeOldest(untilCost mostCost: Int, count mostCount: Int = .max) -> [Kept] {
    var removed: [Kept] = []
    while cost > mostCost || count > mostCount, let oldest = oldest() { removed.append(remove(oldest)) }
    return removed
  }

  /// Replaces the record of an entry; returns the old entry.
  mutating func renew(_ place: Int, _ response: CacheRecord.Response) -> CacheEntry {
    let old = self[place]
    var record = old.entry.record
    record.response = response
    let renewed = old.entry.with(record)
    entries[place]?.entry = renewed
    table(of: old.key).pointee.replace(old.key, place, with: renewed)
    return old.entry
  }

  @inline(__always)
  private func table(of key: CacheKey) -> UnsafeMutablePointer<KeyTable> {
    tables + (key.precomputedHash & (Self.tableCount - 1))
  }

  @inline(__always)
  private func slot(of key: CacheKey) -> KeyTable.Slot? {
    table(of: key).pointee.slot(of: key) { self[$0].key == key }
  }

  /// The place of the least recently used entry; nil when there is none.
  private mutating func oldest() -> Int? {
    guard count > 0 else { return nil }
    let (entries, stamps, clock) = (entries, stamps, clock)
    // A free place goes to the end of the queue, because its next entry will be newer than all others.
    func stamp(at place: Int) -> Int {
      entries[place] == nil ? clock.newStamp : stamps[place].load(ordering: .relaxed)
    }
    var updates = 0
    while true {
      let first = queue.first
      let latest = stamp(at: first.place)
      if latest == first.stamp { return first.place }
      updates += 1
      // After very many uses, updating all members at once is faster.
      if updates > entries.count / 32 { queue.updateAll(stamp) } else { queue.updateFirst(latest) }
    }
  }

  private mutating func addPlace() -> Int {
    let place = entries.count
    entries.append(nil)
    queue.append(place, stamp: clock.newStamp)
    if place >= stampCapacity { growStamps() }
    return place
  }

  private mutating func growStamps() {
    let (old, oldCapacity) = (stamps, stampCapacity)
    stampCapacity = max(8, oldCapacity * 2)
    stamps = .allocate(capacity: stampCapacity)
    for place in 0..<stampCapacity {
      let stamp = place < oldCapacity ? old[place].load(ordering: .relaxed) : 0
      stamps.advanced(by: place).initialize(to: Atomic(stamp))
    }
    old.deallocate()
  }
}
