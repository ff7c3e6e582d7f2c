import Synchronization

/// For each shard a lower bound of the last use of its oldest entry, readable without the shard's lock.
///
/// Uses do not update the bound: an eviction looks up the true time first and writes it here.
///
/// Unchecked because the memory holds only atomic numbers, and its address never changes.
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

  /// Sets the bound of a shard, `.max` when it is empty.
  ///
  /// Call this under the shard's lock.
  func set(_ index: Int, _ stamp: Int) { stamps[index].store(stamp, ordering: .relaxed) }

  /// The shard that probably holds the least recently used entry; nil when all are empty.
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
