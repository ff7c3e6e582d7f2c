import EaselCore
import EaselSupport

/// Remembers evicted images weakly, so that an image that is still in use elsewhere can be found again.
final class EvictedImages: Sendable {
  /// An evicted image, held weakly.
  struct Shown {
    fileprivate let key: CacheKey
    fileprivate let image: Image.WeakReference
    fileprivate var record: CacheRecord
    fileprivate let stored: Int64

    init?(_ evicted: MemoryEntries.Kept) {
      guard let image = evicted.entry.image else { return nil }
      self.image = .init(image)
      key = evicted.key
      record = evicted.entry.record
      stored = evicted.stored
    }
  }

  /// An image that was found, with the time at which its entry was stored.
  struct Found {
    var entry: CacheEntry
    var stored: Int64
  }

  private struct State {
    var images: [CacheKey: Shown] = [:]
    var sweepCount = 64
  }

  private let state = Locked(State())

  /// Remembers an evicted image if some other code still holds it.
  func remember(_ image: Shown) {
    // Most images are already released, and need no place in the table.
    guard image.image.image != nil else { return }
    let (mustSweep, old) = state.withLock { state in
      let old = state.images.updateValue(image, forKey: image.key)
      return (state.images.count > state.sweepCount, old)
    }
    withExtendedLifetime(old) {}
    if mustSweep { sweep() }
  }

  /// Removes and returns the image under a key if other code still holds it.
  func take(_ key: CacheKey) -> Found? {
    guard let shown = remove(key), let image = shown.image.image else { return nil }
    return Found(entry: CacheEntry(image: image, record: shown.record), stored: shown.stored)
  }

  func contains(_ key: CacheKey) -> Bool {
    state.withLock { $0.images[key] }?.image.image != nil
  }

  func forget(_ key: CacheKey) { _ = remove(key) }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {
    let removed = state.withLock { state in
      state.images.keys.filter { $0.hasSameOriginal(as: key) }.compactMap { key -> Shown? in
        if state.images[key]?.record.generation != generation { return state.images.removeValue(forKey: key) }
        if let response { state.images[key]?.record.response = response }
        return nil
      }
    }
    withExtendedLifetime(removed) {}
  }

  func forgetAll() {
    // Keys may hold the last reference to an object of the user, so the old table is released outside the lock.
    let old = state.withLock { state in
      defer { state = State() }
      return state.images
    }
    withExtendedLifetime(old) {}
  }

  private func remove(_ key: CacheKey) -> Shown? {
    // The result also holds the key, so the last reference to the key is never released under the lock.
    state.withLock { $0.images.removeValue(forKey: key) }
  }

  /// Removes the images that no other code holds any more.
  private func sweep() {
    let all = state.withLock { $0.images }
    // This check is outside the lock, because reading a weak reference may end in releasing the last strong one.
    let gone = all.filter { $0.value.image.image == nil }.map(\.key)
    let old = state.withLock { state in
      let removed = gone.compactMap { key in state.images.removeValue(forKey: key) }
      state.sweepCount = max(64, state.images.count * 2)
      return removed
    }
    withExtendedLifetime((all, old)) {}
  }
}
