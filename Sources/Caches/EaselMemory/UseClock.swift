import Synchronization

/// Numbers uses, so that the least recently used entries of different shards can be compared.
///
/// If every use took a new number, all threads would write to one place. So a shard takes a new number only from time
/// to time, more seldom the more entries it holds, and counts the uses in between itself. The order within a shard is
/// exact; between shards it is off by about a five-hundredth of the entries, and exact in a small store.
///
/// Unchecked because the memory holds only one atomic number, and its address never changes.
final class UseClock: @unchecked Sendable {
  // Has its cache lines to itself, so that readers of neighbouring data do not wait for writers of this number.
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

  /// The number of uses for which a shard keeps one number: a power of two, at most 64.
  ///
  /// More uses would not fit into the bits that count them.
  static func period(count: Int) -> Int {
    guard count > 16 else { return 1 }
    return min(1 << countedBits, 1 << (Int.bitWidth - 1 - (count >> 3).leadingZeroBitCount))
  }

  /// The stamp of a use; later uses of the same shard get greater stamps.
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
