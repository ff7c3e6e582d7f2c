import Synchronization

/// Numbers uses, so that shards can tell whose oldest entry has been unused for longest.
///
/// A number of its own for every use would make all threads write to one place. So a shard takes a new one only now and
/// then, the seldomer the more it holds, and tells the uses in between apart by counting them itself. Within a shard the
/// order is exact; between shards it is off by about a five-hundredth of the entries, and exact in a small store.
///
/// Unchecked because it holds nothing but one atomic number at an address that never changes.
final class UseClock: @unchecked Sendable {
  // Alone in its lines of memory, so that those who read what lies beside it do not wait for those who write.
  private let latest: UnsafeMutablePointer<Atomic<Int>>

  private static let countedBits = 6

  init() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
    latest = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
    latest.initialize(to: Atomic(0))
  }

  deinit {
    latest.deinitialize(count: 1)
    latest.deallocate()
  }

  /// For how many uses a shard keeps to one number: a power of two, at most 64, or the counted bits would run over.
  static func period(count: Int) -> Int {
    guard count > 16 else { return 1 }
    return min(1 << countedBits, 1 << (Int.bitWidth - 1 - (count >> 3).leadingZeroBitCount))
  }

  /// The stamp of a shard's use; later ones of the same shard are greater.
  @inline(__always)
  func stamp(_ uses: Int, period: Int) -> Int {
    if uses & (period &- 1) == 0 { return newStamp(uses) }
    return Self.stamp(latest.pointee.load(ordering: .relaxed), uses)
  }

  @inline(__always)
  func newStamp(_ uses: Int) -> Int {
    Self.stamp(latest.pointee.wrappingAdd(1, ordering: .relaxed).newValue, uses)
  }

  @inline(__always)
  private static func stamp(_ number: Int, _ uses: Int) -> Int {
    number << countedBits | uses & (1 << countedBits - 1)
  }
}
