import EaselCore
import EaselSupport
import Synchronization

/// Files in memory for reuse, whose pages are several times faster than new pages.
final class MemoryFilePool: Sendable {
  private struct Used {
    let file: MemoryFile
    /// The end of the child that had the file before.
    let end: ChildEnd
    let byteCount: Int
    /// The number of bytes that the child's picture needed.
    let need: Int

    var isFree: Bool { end.isOver(within: 0) }
  }

  private let pool: ReusePool<Used>
  /// The least cost of a file, because even a small file takes two descriptors.
  private let leastCost: Int
  /// The number of bytes that the last picture needed, as a guess for the next picture.
  private let lastNeed = Atomic(0)

  /// Creates a pool that keeps files of at most `limit` bytes in total.
  init(limit: Int = BufferPool.defaultLimit / 2, idleTime: Duration = .seconds(5)) {
    pool = ReusePool(limit: limit, idleTime: idleTime)
    leastCost = limit / 32
  }

  /// A file that no living child can see; the caller must replace or clear its content.
  func take() throws(ImageError) -> MemoryFile {
    let need = lastNeed.load(ordering: .relaxed)
    let fitting = pool.take { $0.byteCount >= need && $0.byteCount <= Self.most(for: need) && $0.isFree }
    guard let used = fitting ?? pool.take(where: \.isFree) else { return try MemoryFile() }
    // Clearing a large file takes longer than decoding many a small picture.
    if used.file.byteCount > Self.most(for: used.need) { used.file.shorten(to: used.need) }
    used.file.rewind()
    return used.file
  }

  /// Keeps a file for reuse, which begins once its child is dead.
  func put(_ file: MemoryFile, after end: ChildEnd, need: Int) {
    lastNeed.store(need, ordering: .relaxed)
    let count = file.byteCount
    pool.put(Used(file: file, end: end, byteCount: count, need: need), cost: max(leastCost, count))
  }

  /// The size above which a file is too large for a picture.
  private static func most(for need: Int) -> Int { 4 * max(need, 1 << 20) }
}
