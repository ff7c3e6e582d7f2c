/// The least recently used entries, in the order in which they will be evicted.
///
/// A use only stamps an entry, which is cheaper than moving it in a list. The order is made when something must be
/// evicted, for the oldest eighth of the entries at once. It stays valid while the store is used: entries used or added
/// later are newer than all members, and a member that was used has another stamp and is skipped.
struct LeavingOrder {
  struct Member {
    var place: Int
    /// The stamp of its last use when the order was made.
    var stamp: Int
  }

  /// The members, with the oldest last.
  private var members: [Member] = []

  private static let fewest = 16

  var next: Member? { members.last }

  mutating func skip() { members.removeLast() }

  /// Collects and sorts the oldest of all entries.
  mutating func refill(count: Int, _ forEach: ((Member) -> Void) -> Void) {
    members.removeAll(keepingCapacity: true)
    members.reserveCapacity(count)
    forEach { members.append($0) }
    let wanted = min(members.count, max(Self.fewest, members.count / 8))
    gatherOldest(wanted)
    members.removeLast(members.count - wanted)
    members.sort { $0.stamp > $1.stamp }
  }

  /// Moves the `wanted` oldest members to the front, in any order (Hoare's selection).
  private mutating func gatherOldest(_ wanted: Int) {
    var (low, high) = (0, members.count - 1)
    while low < high {
      let pivot = members[(low + high) / 2].stamp
      var (left, right) = (low, high)
      while left <= right {
        while members[left].stamp < pivot { left += 1 }
        while members[right].stamp > pivot { right -= 1 }
        if left <= right {
          members.swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if wanted - 1 <= right { high = right } else if wanted - 1 >= left { low = left } else { return }
    }
  }
}
