import EaselCore

/// A hash table from keys to entries, with open addressing and linear probing.
///
/// A slot has everything that a hit needs, so a hit reads one cache line besides the entry. With chains of places
/// instead, a hit took 10 % longer among 10,000 entries, and 25 % longer among 100,000. The table owns no entries:
/// ``MemoryEntries`` owns them, and gives each a place.
struct KeyTable: ~Copyable {
  struct Slot {
    /// The upper half of the key's hash; its lowest bits give the slot where the search begins.
    var tag: UInt32 = 0
    /// The place of the entry; 0 in an empty slot.
    var place: Int32 = 0
    /// Identifies the key object.
    ///
    /// Most callers use a copy of the stored key, which is recognized without reading it.
    var identity: ObjectIdentifier?
    var entry: Unmanaged<CacheEntry>?
    /// The time at which the entry was stored.
    var stored: Int64 = 0
  }

  private var slots = Self.allocate(4)
  private var mask = 3
  private var count = 0

  deinit { slots.deallocate() }

  /// The places of all entries.
  var places: [Int] { (0...mask).map { Int(slots[$0].place) }.filter { $0 != 0 } }

  /// Finds the slot of a key; `isSame` returns true when the key at a place equals it.
  @inline(__always)
  func slot(of key: CacheKey, isSame: (Int) -> Bool) -> Slot? {
    let tag = Self.tag(key)
    var index = Int(tag) & mask
    while slots[index].place != 0 {
      let slot = slots[index]
      if slot.tag == tag, slot.identity == key.identity || isSame(Int(slot.place)) { return slot }
      index = (index &+ 1) & mask
    }
    return nil
  }

  mutating func insert(_ kept: MemoryEntries.Kept, _ place: Int) {
    if (count + 1) * 4 > (mask + 1) * 3 { grow() }
    put(
      Slot(
        tag: Self.tag(kept.key), place: Int32(place), identity: kept.key.identity,
        entry: .passUnretained(kept.entry), stored: kept.stored))
    count += 1
  }

  func replace(_ key: CacheKey, _ place: Int, with entry: CacheEntry) {
    slots[index(of: key, place)].entry = .passUnretained(entry)
  }

  mutating func remove(_ key: CacheKey, _ place: Int) {
    var hole = index(of: key, place)
    // Later slots move up, so that no search stops at the hole before it reaches its slot.
    var next = (hole + 1) & mask
    while slots[next].place != 0 {
      let home = Int(slots[next].tag) & mask
      if (next &- home) & mask >= (next &- hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = Slot()
    count -= 1
  }

  private func index(of key: CacheKey, _ place: Int) -> Int {
    var index = Int(Self.tag(key)) & mask
    while slots[index].place != Int32(place) { index = (index + 1) & mask }
    return index
  }

  private mutating func grow() {
    let (old, oldMask) = (slots, mask)
    mask = oldMask * 2 + 1
    slots = Self.allocate(mask + 1)
    for index in 0...oldMask where old[index].place != 0 { put(old[index]) }
    old.deallocate()
  }

  private func put(_ slot: Slot) {
    var index = Int(slot.tag) & mask
    while slots[index].place != 0 { index = (index + 1) & mask }
    slots[index] = slot
  }

  @inline(__always)
  private static func tag(_ key: CacheKey) -> UInt32 { UInt32(truncatingIfNeeded: key.precomputedHash >> 32) }

  /// Allocates slots that are aligned to cache lines, so that no slot spans two.
  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Slot> {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity * MemoryLayout<Slot>.stride, alignment: 64)
    return memory.initializeMemory(as: Slot.self, repeating: Slot(), count: capacity)
  }
}
