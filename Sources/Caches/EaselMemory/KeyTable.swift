/// Finds the place of a node by the hash of its key: open addressing with linear probing.
///
/// Not safe for more than one thread, and its memory is given back by ``deallocate()``: the shard's lock and the
/// store's end see to both.
struct KeyTable {
  private var slots: UnsafeMutablePointer<UInt64>
  private var mask: Int
  private(set) var count = 0

  // A slot holds the upper half of a hash above the place plus one, so that few wrong nodes are ever looked at.
  private static let empty: UInt64 = 0

  init() {
    (slots, mask) = (Self.allocate(8), 7)
  }

  func deallocate() { slots.deallocate() }

  /// The place of the first node under this hash that `isWanted` accepts.
  @inline(__always)
  func place(of hash: Int, where isWanted: (Int) -> Bool) -> Int? {
    let tag = Self.tag(hash)
    var index = hash & mask
    while true {
      let slot = slots[index]
      if slot == Self.empty { return nil }
      if slot & Self.tagMask == tag {
        let place = Self.place(slot)
        if isWanted(place) { return place }
      }
      index = (index + 1) & mask
    }
  }

  mutating func insert(_ hash: Int, _ place: Int, hashOf: (Int) -> Int) {
    if (count + 1) * 2 > mask + 1 { grow(hashOf) }
    put(Self.tag(hash) | UInt64(place + 1), at: hash & mask)
    count += 1
  }

  mutating func remove(_ hash: Int, _ place: Int, hashOf: (Int) -> Int) {
    var hole = hash & mask
    while Self.place(slots[hole]) != place { hole = (hole + 1) & mask }
    // What follows moves up, so that no probe ends at the hole before it has come to its node.
    var next = (hole + 1) & mask
    while slots[next] != Self.empty {
      let home = hashOf(Self.place(slots[next])) & mask
      if (next &- home) & mask >= (next &- hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = Self.empty
    count -= 1
  }

  private mutating func grow(_ hashOf: (Int) -> Int) {
    let (old, oldMask) = (slots, mask)
    mask = oldMask * 2 + 1
    slots = Self.allocate(mask + 1)
    for index in 0...oldMask where old[index] != Self.empty {
      put(old[index], at: hashOf(Self.place(old[index])) & mask)
    }
    old.deallocate()
  }

  private func put(_ slot: UInt64, at home: Int) {
    var index = home
    while slots[index] != Self.empty { index = (index + 1) & mask }
    slots[index] = slot
  }

  private static let tagMask: UInt64 = 0xFFFF_FFFF_0000_0000
  private static func tag(_ hash: Int) -> UInt64 { UInt64(truncatingIfNeeded: hash) & tagMask }
  private static func place(_ slot: UInt64) -> Int { Int(slot & ~tagMask) - 1 }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt64> {
    let slots = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
    slots.initialize(repeating: empty, count: capacity)
    return slots
  }
}
