import EaselCore
import EaselSupport

/// Tracks the pictures that wait to be encoded for the disk, and raises their priority when they take too much memory.
///
/// Encoding for the disk comes after all decoding, so that callers get their pictures soon. But each waiting picture
/// stays in memory, and if loads never pause, none of them would ever be encoded.
package final class PendingStores: Sendable {
  /// A waiting store.
  package final class Entry: Sendable {
    private let size: Int
    private let stores: PendingStores

    fileprivate init(_ size: Int, of stores: PendingStores) {
      self.size = size
      self.stores = stores
      stores.change(by: size)
    }

    deinit { stores.change(by: -size) }
  }

  /// The priority of encoding for the disk.
  package let priority = LoadPriority.Live(.low)

  private let limit: Int
  private let bytes = Locked(0)

  package init(limit: Int = 32 << 20) { self.limit = limit }

  /// Counts a store of this size until the returned entry is released.
  package func add(_ size: Int) -> Entry { Entry(size, of: self) }

  fileprivate func change(by size: Int) {
    let isLong = bytes.withLock { bytes in
      bytes += size
      return bytes > limit
    }
    priority.set(isLong ? .veryHigh : .low)
  }
}
