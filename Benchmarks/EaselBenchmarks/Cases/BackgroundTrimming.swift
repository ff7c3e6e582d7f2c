import EaselCore
import EaselDisk
import Foundation
import Synchronization

/// Trims a store step by step on its own thread, and refills the store when nothing is left to trim.
final class BackgroundTrimming: Sendable {
  private let isStopped = Atomic(false)
  private let ended = DispatchSemaphore(value: 0)

  init(_ store: SQLiteDiskStore, _ keys: [CacheKey], _ entry: CacheEntry) {
    let thread = Thread { [self] in
      defer { ended.signal() }
      guard !keys.isEmpty else { return }
      let kept = 8_000_000
      while !isStopped.load(ordering: .relaxed) {
        store.limits.sizeLimit = kept
        try? store.trim()
        store.limits.sizeLimit = 1 << 30
        for key in keys where !isStopped.load(ordering: .relaxed) { try? store.store(entry, for: key) }
      }
      store.limits.sizeLimit = 1 << 30
    }
    thread.start()
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    ended.wait()
  }
}
