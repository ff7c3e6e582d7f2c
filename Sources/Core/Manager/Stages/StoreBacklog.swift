/// What waits to be stored on disk: nobody waits for it, until it takes too much memory.
///
/// Encoding for a disk comes after all decoding, so that pictures are there soon. But each picture that waits for it stays
/// in memory, and while loads go on without end none would ever be encoded.
final class StoreBacklog: Sendable {
  /// Something that waits.
  final class Share: Sendable {
    private let size: Int
    private let backlog: StoreBacklog

    fileprivate init(_ size: Int, of backlog: StoreBacklog) {
      self.size = size
      self.backlog = backlog
      backlog.change(by: size)
    }

    deinit { backlog.change(by: -size) }
  }

  /// How urgent it is to encode what waits.
  let priority = LivePriority(.low)

  private let limit: Int
  private let bytes = Locked(0)

  init(limit: Int = 32 << 20) { self.limit = limit }

  /// Counts something of this size until what is returned is dropped.
  func add(_ size: Int) -> Share { Share(size, of: self) }

  fileprivate func change(by size: Int) {
    let isLong = bytes.withLock { bytes in
      bytes += size
      return bytes > limit
    }
    priority.set(isLong ? .veryHigh : .low)
  }
}
