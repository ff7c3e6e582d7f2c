import CEaselMemory
import Glibc
import Synchronization

/// The shards of a store, each behind several locks: a reader takes the lock of the processor that it runs on, a writer
/// takes all of them.
///
/// With one lock per shard, every hit would move the lock's cache line between the processors, which takes longer than
/// the hit itself. Unchecked because these locks guard the shards, and no address ever changes.
final class MemoryShards: @unchecked Sendable {
  let count: Int

  private let shards: UnsafeMutableRawPointer
  private let lanes: UnsafeMutableRawPointer
  private let laneMask: Int

  // Two cache lines, because the processor fetches them in pairs.
  private static let shardStride = 128
  private static let whereaboutsOffset = 120
  // A line holds a lock and the counter that it guards. The lines of one lane lie together, so that neighbouring lines
  // belong to the same processor.
  private static let laneStride = 64
  private static let usesOffset = 48
  private static let mostLanes = 8

  init(count: Int, processors: Int = Int(sysconf(Int32(_SC_NPROCESSORS_CONF)))) {
    let laneCount = Self.laneCount(processors: processors)
    precondition(MemoryLayout<MemoryShard>.size <= Self.whereaboutsOffset)
    precondition(MemoryLayout<pthread_mutex_t>.size <= Self.usesOffset)
    self.count = count
    laneMask = laneCount - 1
    shards = .allocate(byteCount: count * Self.shardStride, alignment: 128)
    lanes = .allocate(byteCount: laneCount * count * Self.laneStride, alignment: 128)
    for index in 0..<count {
      shard(index).initialize(to: MemoryShard())
      whereabouts(index).initialize(to: Atomic(shard(index).pointee.tableWhereabouts))
    }
    for lane in 0..<laneCount {
      for index in 0..<count {
        mutex(lane, index).initialize(to: pthread_mutex_t())
        let status = pthread_mutex_init(mutex(lane, index), nil)
        precondition(status == 0, "pthread_mutex_init failed with \(status)")
        uses(lane, index).initialize(to: 0)
      }
    }
  }

  deinit {
    for index in 0..<count { shard(index).deinitialize(count: 1) }
    for lane in 0...laneMask {
      for index in 0..<count { pthread_mutex_destroy(mutex(lane, index)) }
    }
    shards.deallocate()
    lanes.deallocate()
  }

  /// The number of processors, rounded up to a power of two, limited because a write takes every lock in turn.
  static func laneCount(processors: Int) -> Int {
    var count = 1
    while count < min(processors, mostLanes) { count *= 2 }
    return count
  }

  /// Reads a shard while other readers may do the same.
  ///
  /// `body` may change the lane's counter of uses.
  @inline(__always)
  func read<Result>(_ index: Int, hash: Int, _ body: (borrowing MemoryShard, inout Int) -> Result) -> Result {
    // Prefetches the slot while the lock is being taken.
    easel_memory_fetch(KeyTable.home(of: hash, in: whereabouts(index).pointee.load(ordering: .relaxed)))
    // The thread may move to another processor at once. That does no harm: any lane's lock keeps writers out.
    let lane = Int(easel_memory_processor()) & laneMask
    pthread_mutex_lock(mutex(lane, index))
    defer { pthread_mutex_unlock(mutex(lane, index)) }
    return body(shard(index).pointee, &uses(lane, index).pointee)
  }

  /// Changes a shard while no other thread uses it.
  func write<Result>(_ index: Int, _ body: (inout MemoryShard) -> Result) -> Result {
    for lane in 0...laneMask { pthread_mutex_lock(mutex(lane, index)) }
    defer { for lane in 0...laneMask { pthread_mutex_unlock(mutex(lane, index)) } }
    defer { whereabouts(index).pointee.store(shard(index).pointee.tableWhereabouts, ordering: .relaxed) }
    return body(&shard(index).pointee)
  }

  @inline(__always)
  private func shard(_ index: Int) -> UnsafeMutablePointer<MemoryShard> {
    (shards + index &* Self.shardStride).assumingMemoryBound(to: MemoryShard.self)
  }

  @inline(__always)
  private func whereabouts(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
    (shards + index &* Self.shardStride + Self.whereaboutsOffset).assumingMemoryBound(to: Atomic<UInt>.self)
  }

  @inline(__always)
  private func mutex(_ lane: Int, _ index: Int) -> UnsafeMutablePointer<pthread_mutex_t> {
    (lanes + (lane &* count &+ index) &* Self.laneStride).assumingMemoryBound(to: pthread_mutex_t.self)
  }

  @inline(__always)
  private func uses(_ lane: Int, _ index: Int) -> UnsafeMutablePointer<Int> {
    (lanes + (lane &* count &+ index) &* Self.laneStride + Self.usesOffset).assumingMemoryBound(to: Int.self)
  }
}
