import EaselCore

/// Finds what is kept under a key: open addressing with linear probing.
///
/// A slot holds all that a hit needs, so that a hit touches one line of memory besides the entry itself. It owns
/// nothing: the shard's nodes do. A hit changes nothing in it, so that processors which find the same keep copies of it.
struct KeyTable: ~Copyable {
  struct Slot {
    /// The upper half of the key's hash; its lowest bits are also the slot's home.
    var tag: UInt32 = 0
    /// The place of the node, 0 in an empty slot.
    var place: Int32 = 0
    /// Most who ask have a copy of the very key, which is told without touching it.
    var identity: ObjectIdentifier?
    var entry: Unmanaged<CacheEntry>?
    /// When it was stored.
    var stored: Int64 = 0
  }

  private var slots: UnsafeMutablePointer<Slot>
  private var mask: Int
  private(set) var count = 0

  init() {
    (slots, mask) = (Self.allocate(8), 7)
  }

  deinit { slots.deallocate() }

  /// Where the slots lie and how many there are, in one number.
  var whereabouts: UInt { UInt(bitPattern: slots) | UInt(mask.nonzeroBitCount) }

  /// Where a key's slot lay when a table was there; who looks must not read it.
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

  /// The slot of a key; `isSame` says whether another key at a place is equal to it.
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
    // What follows moves up, so that no probe ends at the hole before it has come to its slot.
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

  // Slots are aligned to lines of memory, so that none lies in two.
  private static let lineMask: UInt = 63

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<Slot> {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * MemoryLayout<Slot>.stride, alignment: Int(lineMask) + 1)
    return memory.initializeMemory(as: Slot.self, repeating: Slot(), count: capacity)
  }
}
