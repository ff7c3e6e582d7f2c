import Synchronization

/// Numbers uses, so that the least recently used entry can be found.
///
/// If every use took a new number, all threads would write to one cache line. In a store of more than 1,000 entries, a
/// processor therefore takes a new number only from time to time, and counts the uses in between itself. The order of
/// uses on one processor is exact; between two processors it is off by at most a five-hundredth of the entries.
///
/// Unchecked, because the memory holds only one atomic number, and its address never changes.
final class UseCounter: @unchecked Sendable {
  // The number alone fills its cache lines, so that readers of neighbouring data do not wait for its writers.
  private let latest: UnsafeMutablePointer<Atomic<Int>>

  private static let countedBits = 6
  private static let countedMask = 1 << countedBits - 1

  init() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 128)
    latest = memory.bindMemory(to: Atomic<Int>.self, capacity: 1)
    latest.initialize(to: Atomic(0))
  }

  deinit {
    latest.deinitialize(count: 1)
    latest.deallocate()
  }

  /// The number of uses that take the same number: a power of two, at most 64, because more would exceed the counted
  /// bits.
  static func period(entries count: Int) -> Int {
    min(1 << countedBits, 1 << (Int.bitWidth - 1 - max(1, count >> 9).leadingZeroBitCount))
  }

  /// The stamp of a use; it is greater than those of earlier uses with the same counter.
  @inline(__always)
  func stamp(_ uses: Int, period: Int) -> Int {
    if uses & (period &- 1) == 0 { return newStamp | uses & Self.countedMask }
    return latest.pointee.load(ordering: .relaxed) << Self.countedBits | uses & Self.countedMask
  }

  /// A stamp that is greater than all earlier ones.
  var newStamp: Int { latest.pointee.wrappingAdd(1, ordering: .relaxed).newValue << Self.countedBits }
}
