/// Those that have been unused for longest, in the order in which they are to go.
///
/// A use only stamps an entry; that is cheaper than moving it in a list of all. So the order is made when somebody must
/// go, of the oldest eighth at once. It stays right while the store is used: whatever is used or added later is newer
/// than all of them, and who was used meanwhile has another stamp and is skipped.
struct LeavingOrder {
  struct Member {
    var place: Int
    /// When it had been used last.
    var stamp: Int
  }

  /// The oldest last.
  private var members: [Member] = []

  private static let fewest = 16

  var next: Member? { members.last }

  mutating func skip() { members.removeLast() }

  /// Puts the oldest of all in order.
  mutating func refill(count: Int, _ forEach: ((Member) -> Void) -> Void) {
    members.removeAll(keepingCapacity: true)
    members.reserveCapacity(count)
    forEach { members.append($0) }
    let wanted = min(members.count, max(Self.fewest, members.count / 8))
    gatherOldest(wanted)
    members.removeLast(members.count - wanted)
    members.sort { $0.stamp > $1.stamp }
  }

  /// Moves the `wanted` oldest to the front, in any order: Hoare's selection.
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
