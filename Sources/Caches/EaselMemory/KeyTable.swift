import EaselCore

/// A hash table from keys to entries, with open addressing and linear probing.
///
/// A slot holds everything that a hit needs, so that a hit touches one cache line besides the entry. The table owns
/// nothing; the nodes of the shard own the entries. A hit writes nothing here, so that several processors can keep
/// copies of the same slot.
struct KeyTable: ~Copyable {
  struct Slot {
    /// The upper half of the key's hash; its lowest bits are also the slot's home index.
    var tag: UInt32 = 0
    /// The index of the node; 0 in an empty slot.
    var place: Int32 = 0
    /// Identifies the key object: most callers use a copy of the stored key, which is then equal without being read.
    var identity: ObjectIdentifier?
    var entry: Unmanaged<CacheEntry>?
    /// The time at which the entry was stored.
    var stored: Int64 = 0
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var mask: Int
  private(set) var count = 0

  init() {
    (slots, mask) = (Self.allocate(8), 7)
  }

  deinit { slots.deallocate() }

  /// The address of the slots and the logarithm of their number, packed into one word.
  var whereabouts: UInt { UInt(bitPattern: slots) | UInt(mask.nonzeroBitCount) }

  /// The address of a key's home slot in a table that existed a moment ago.
  ///
  /// The caller must not read it.
  @inline(__always)
  static func home(of hash: Int, in whereabouts: UInt) -> UnsafeRawPointer? {
    let mask = (1 as UInt) &<< (whereabouts & lineMask) &- 1
    let address = whereabouts & ~lineMask &+ (UInt(tag(hash)) & mask) &* UInt(MemoryLayout<Slot>.stride)
    return UnsafeRawPointer(bitPattern: address)
  }

  subscript(index: Int) -> Slot {
    @inline(__always) get { slots[index] }
    nonmutating set { slots[index] = newValue }
  }

  /// The slot of a key.
  ///
  /// `isSame` returns true when the key of the node at a place equals the wanted one.
  @inline(__always)
  func index(of hash: Int, _ identity: ObjectIdentifier, isSame: (Int) -> Bool) -> Int? {
    let tag = Self.tag(hash)
    var index = Int(tag) & mask
    while true {
      let slot = slots.advanced(by: index)
      if slot.pointee.place == 0 { return nil }
      if slot.pointee.tag == tag, slot.pointee.identity == identity || isSame(Int(slot.pointee.place)) { return index }
      index = (index + 1) & mask
    }
  }

  /// The slot of a node whose key has this hash.
  func index(of hash: Int, place: Int) -> Int {
    var index = Int(Self.tag(hash)) & mask
    while slots[index].place != Int32(place) { index = (index + 1) & mask }
    return index
  }

  mutating func insert(_ hash: Int, _ place: Int, _ identity: ObjectIdentifier, _ entry: CacheEntry, stored: Int64) {
    if (count + 1) * 4 > (mask + 1) * 3 { grow() }
    put(
      Slot(
        tag: Self.tag(hash), place: Int32(place), identity: identity, entry: .passUnretained(entry), stored: stored))
    count += 1
  }

  mutating func remove(at index: Int) {
    var hole = index
    // Later slots move up, so that no probe stops at the hole before it reaches its slot.
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
  private static func tag(_ hash: Int) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 32) }

  // Slots are aligned to cache lines, so that no slot spans two.
  private static let lineMask: UInt = 63

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Slot> {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * MemoryLayout<Slot>.stride, alignment: Int(lineMask) + 1)
    return memory.initializeMemory(as: Slot.self, repeating: Slot(), count: capacity)
  }
}
