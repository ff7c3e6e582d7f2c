import Synchronization

/// For each shard a time before which none of its entries was used last, readable without its lock.
///
/// Uses do not change it: who lets an entry go looks for the real time first, and writes it here.
///
/// Unchecked because it holds nothing but atomic numbers at an address that never changes.
final class ShardAges: @unchecked Sendable {
  private let stamps: UnsafeMutablePointer<Atomic<Int>>
  private let count: Int

  init(count: Int) {
    self.count = count
    stamps = .allocate(capacity: count)
    for index in 0..<count { stamps.advanced(by: index).initialize(to: Atomic(.max)) }
  }

  deinit {
    stamps.deinitialize(count: count)
    stamps.deallocate()
  }

  subscript(index: Int) -> Int { stamps[index].load(ordering: .relaxed) }

  /// Says since when a shard's entries were used, `.max` when it has none; called under the shard's lock.
  func set(_ index: Int, _ stamp: Int) { stamps[index].store(stamp, ordering: .relaxed) }

  /// The shard whose oldest entry seems to have been unused for longest, nil when all are empty.
  var oldest: Int? {
    var oldest: Int?
    var smallest = Int.max
    for index in 0..<count {
      let stamp = stamps[index].load(ordering: .relaxed)
      if stamp < smallest { (oldest, smallest) = (index, stamp) }
    }
    return oldest
  }
}
