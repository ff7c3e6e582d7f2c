import Synchronization

/// Numbers uses, so that shards can tell whose oldest entry has been unused for longest.
///
/// A number of its own for every use would make all threads write to one place. So a large shard takes a new one for
/// every eighth of its uses only, and leaves alone what was used a moment ago: the order is then off by about a
/// hundredth of the entries, and a small store keeps it exactly.
struct UseClock: ~Copyable {
  private let latest = Atomic(0)

  /// Up to how many entries a shard keeps the exact order.
  private static let exactCount = 16

  @inline(__always)
  func stamp(uses: Int, count: Int) -> Int {
    if count <= Self.exactCount || uses & 7 == 0 { return next() }
    return latest.load(ordering: .relaxed)
  }

  func next() -> Int { latest.wrappingAdd(1, ordering: .relaxed).newValue }

  /// How much newer a use must be to change an entry's place.
  @inline(__always)
  static func slack(_ count: Int) -> Int { count <= exactCount ? 0 : count >> 4 }
}
