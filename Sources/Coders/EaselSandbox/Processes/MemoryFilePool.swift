import CEaselSandbox
import EaselCore
import EaselSupport
import Glibc
import Synchronization

/// Files in memory for reuse, whose pages are several times faster than new ones.
final class MemoryFilePool: Sendable {
  private struct Used {
    let file: MemoryFile
    /// The end of the child that had the file before.
    let end: Descriptor
    let byteCount: Int
    /// The bytes that its picture needed.
    let need: Int

    var isFree: Bool { easel_sandbox_wait_readable(end.number, 0) == 1 }
  }

  private let pool: ReusePool<Used>
  /// Even the smallest file counts so much, because each takes two descriptors.
  private let leastCost: Int
  /// The bytes that the last picture needed, which the next one is likely to need.
  private let lastNeed = Atomic(0)

  /// Creates a pool that keeps files of so many bytes in all.
  init(limit: Int = BufferPool.defaultLimit / 2, idleTime: Duration = .seconds(5)) {
    pool = ReusePool(limit: limit, idleTime: idleTime)
    leastCost = limit / 32
  }

  /// A file that no living child can see; what is in it must be replaced or cleared.
  func take() throws(ImageError) -> MemoryFile {
    let need = lastNeed.load(ordering: .relaxed)
    let fitting = pool.take { $0.byteCount >= need && $0.byteCount <= Self.most(for: need) && $0.isFree }
    guard let used = fitting ?? pool.take(where: \.isFree) else { return try MemoryFile() }
    // To clear all of a large file takes longer than many a small picture.
    if used.file.byteCount > Self.most(for: used.need) { used.file.shorten(to: used.need) }
    return used.file
  }

  /// Keeps a file until it is wanted again, at the earliest when its child is dead.
  func put(_ file: MemoryFile, after child: ForkServer.Child, need: Int) {
    lastNeed.store(need, ordering: .relaxed)
    let count = file.byteCount
    pool.put(Used(file: file, end: child.end, byteCount: count, need: need), cost: max(leastCost, count))
  }

  /// The size up to which a file is not too large.
  private static func most(for need: Int) -> Int { 4 * max(need, 1 << 20) }
}
