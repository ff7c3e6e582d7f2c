import Synchronization

/// For each shard when its oldest entry was used last, readable without its lock.
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

  /// Says when the oldest entry of a shard was used last, `.max` when it has none; called under the shard's lock.
  @inline(__always)
  func set(_ index: Int, _ stamp: Int) {
    // Most uses leave the oldest as it is, and then nothing that other threads read must be written.
    guard stamps[index].load(ordering: .relaxed) != stamp else { return }
    stamps[index].store(stamp, ordering: .relaxed)
  }

  /// The shard whose oldest entry has been unused for longest, nil when all are empty.
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
