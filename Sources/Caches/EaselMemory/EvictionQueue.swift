/// A binary heap of the places of entries, ordered by the stamps of their last uses.
///
/// A use changes only the stamp in the entry, because that is cheaper than moving the entry's place in the heap. Stamps
/// here may therefore be too old, and the first member must be updated until its stamp is right. No entry is older
/// then, because a use never makes a stamp older.
struct EvictionQueue {
  struct Member {
    var place: Int
    var stamp: Int
  }

  private var members: [Member] = []

  /// The member with the oldest stamp; there must be one.
  var first: Member { members[0] }

  /// Adds a place whose stamp is at least as great as those of all members.
  mutating func append(_ place: Int, stamp: Int) { members.append(Member(place: place, stamp: stamp)) }

  /// Gives the first member a newer stamp.
  mutating func updateFirst(_ stamp: Int) { sink(Member(place: members[0].place, stamp: stamp), from: 0) }

  mutating func updateAll(_ stamp: (_ place: Int) -> Int) {
    for index in members.indices { members[index].stamp = stamp(members[index].place) }
    for index in (0..<members.count / 2).reversed() { sink(members[index], from: index) }
  }

  /// Puts a member at `index`, and moves it down below all older ones.
  private mutating func sink(_ member: Member, from index: Int) {
    var index = index
    while true {
      var child = index * 2 + 1
      if child + 1 < members.count, members[child + 1].stamp < members[child].stamp { child += 1 }
      guard child < members.count, members[child].stamp < member.stamp else { break }
      members[index] = members[child]
      index = child
    }
    members[index] = member
  }
}
