import EaselCore
import Synchronization

/// A part of the store: its nodes, the table that finds them, their last uses, and the order of eviction.
///
/// Several threads may look up entries at the same time, but never while one changes the shard: ``MemoryShards``
/// ensures that. Removed entries are returned to the caller, who releases them outside the lock, because releasing the
/// last reference to a key or picture may run user code.
struct MemoryShard: ~Copyable {
  private struct Node {
    var key: CacheKey?
    var entry: CacheEntry?
    var cost = 0
    var nextFree = 0
  }

  /// An entry that was removed.
  struct Removed {
    var key: CacheKey
    var entry: CacheEntry
    var cost: Int
    var stored: Int64
  }

  // The fields that a hit needs come first, so that they share a cache line.
  private var table = KeyTable()
  private var period = 1
  /// The last use of each node, kept apart because hits write here.
  private var stamps: UnsafeMutablePointer<Atomic<Int>>

  // Node 0 is unused, because place 0 marks an empty slot in the table.
  private var nodes: UnsafeMutablePointer<Node>
  private var capacity = 8
  private var used = 1
  private var free = 0
  private var leaving = LeavingOrder()

  init() {
    nodes = .allocate(capacity: capacity)
    nodes.initialize(to: Node())
    stamps = Self.makeStamps(capacity)
  }

  deinit {
    nodes.deinitialize(count: used)
    nodes.deallocate()
    stamps.deallocate()
  }

  var count: Int { table.count }

  /// See ``KeyTable/whereabouts``.
  var tableWhereabouts: UInt { table.whereabouts }

  var places: [Int] { (1..<max(1, used)).filter { nodes[$0].key != nil } }

  @inline(__always)
  func place(of key: CacheKey) -> Int? { slot(of: key).map { Int(table[$0].place) } }

  func entry(at place: Int) -> CacheEntry { nodes[place].entry.unsafelyUnwrapped }

  func stored(at place: Int) -> Int64 { table[slot(ofNodeAt: place)].stored }

  func cost(at place: Int) -> Int { nodes[place].cost }

  /// Looks up an entry that was stored after `oldest` and stamps it as used; `uses` counts the lookups.
  @inline(__always)
  func use(_ key: CacheKey, newerThan oldest: Int64, _ clock: UseClock, _ uses: inout Int) -> CacheEntry? {
    guard let slot = slot(of: key), oldest == .min || table[slot].stored > oldest else { return nil }
    uses &+= 1
    stamps[Int(table[slot].place)].store(clock.stamp(uses, period: period), ordering: .relaxed)
    return table[slot].entry.unsafelyUnwrapped.takeUnretainedValue()
  }

  /// Stores an entry, which counts as a use; returns its stamp.
  mutating func insert(_ key: CacheKey, _ entry: CacheEntry, cost: Int, stored: Int64, _ clock: UseClock) -> Int {
    let place = takeNode()
    let stamp = clock.newStamp(0)
    nodes[place] = Node(key: key, entry: entry, cost: cost)
    stamps[place].store(stamp, ordering: .relaxed)
    table.insert(key.precomputedHash, place, key.identity, entry, stored: stored)
    period = UseClock.period(count: count)
    return stamp
  }

  mutating func remove(_ place: Int) -> Removed {
    let node = nodes[place]
    let slot = slot(ofNodeAt: place)
    let stored = table[slot].stored
    table.remove(at: slot)
    nodes[place] = Node(nextFree: free)
    free = place
    period = UseClock.period(count: count)
    return Removed(
      key: node.key.unsafelyUnwrapped, entry: node.entry.unsafelyUnwrapped, cost: node.cost, stored: stored)
  }

  /// The least recently used entry; nil when the shard is empty.
  mutating func oldest() -> LeavingOrder.Member? {
    guard count > 0 else { return nil }
    while true {
      while let next = leaving.next {
        // Skip entries that were used since or removed; another entry may be in their place.
        if nodes[next.place].key != nil, stamp(at: next.place) == next.stamp { return next }
        leaving.skip()
      }
      let (nodes, stamps, used) = (nodes, stamps, used)
      leaving.refill(count: count) { add in
        for place in 1..<used where nodes[place].key != nil {
          add(.init(place: place, stamp: stamps[place].load(ordering: .relaxed)))
        }
      }
    }
  }

  /// The places of all entries made from the original of `key`.
  func places(ofOriginal key: CacheKey) -> [Int] {
    places.filter { nodes[$0].key.unsafelyUnwrapped.hasSameOriginal(as: key) }
  }

  /// Replaces the record of an entry; returns the old entry.
  func renew(_ place: Int, _ response: ResponseRecord) -> CacheEntry {
    let entry = entry(at: place)
    var record = entry.record
    record.response = response
    let renewed = entry.with(record)
    nodes[place].entry = renewed
    table[slot(ofNodeAt: place)].entry = .passUnretained(renewed)
    return entry
  }

  @inline(__always)
  private func slot(of key: CacheKey) -> Int? {
    table.index(of: key.precomputedHash, key.identity) { nodes[$0].key.unsafelyUnwrapped == key }
  }

  private func slot(ofNodeAt place: Int) -> Int {
    table.index(of: nodes[place].key.unsafelyUnwrapped.precomputedHash, place: place)
  }

  private func stamp(at place: Int) -> Int { stamps[place].load(ordering: .relaxed) }

  private mutating func takeNode() -> Int {
    if free != 0 {
      let place = free
      free = nodes[place].nextFree
      return place
    }
    if used == capacity { grow() }
    nodes.advanced(by: used).initialize(to: Node())
    used += 1
    return used - 1
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: nodes, count: used)
    nodes.deallocate()
    nodes = larger
    let stamps = Self.makeStamps(capacity * 2)
    for place in 0..<used { stamps[place].store(stamp(at: place), ordering: .relaxed) }
    self.stamps.deallocate()
    self.stamps = stamps
    capacity *= 2
  }

  private static func makeStamps(_ capacity: Int) -> UnsafeMutablePointer<Atomic<Int>> {
    let stamps = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: capacity)
    for place in 0..<capacity { stamps.advanced(by: place).initialize(to: Atomic(0)) }
    return stamps
  }
}
