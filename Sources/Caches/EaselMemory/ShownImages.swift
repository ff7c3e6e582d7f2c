import EaselCore

/// Images that were let go of and may still be shown, found again without being kept alive.
final class ShownImages: Sendable {
  /// An image that was let go of, held weakly.
  struct Shown {
    fileprivate let key: CacheKey
    fileprivate let image: Image.WeakReference
    fileprivate var record: CacheRecord
    fileprivate let stored: Int64

    init?(_ removed: MemoryShard.Removed) {
      guard let image = removed.entry.image else { return nil }
      self.image = .init(image)
      key = removed.key
      record = removed.entry.record
      stored = removed.stored
    }
  }

  /// What was found, with the time since which it counts as stored.
  struct Found {
    var entry: CacheEntry
    var stored: Int64
  }

  private struct State {
    var images: [CacheKey: Shown] = [:]
    var sweepCount = 64
  }

  private let state = Locked(State())

  /// Remembers an image if someone else keeps it, as it is when the store has let go of it.
  func remember(_ image: Shown) {
    // Most are gone by now, and need no place in the table.
    guard image.image.image != nil else { return }
    let (mustSweep, old) = state.withLock { state in
      let old = state.images.updateValue(image, forKey: image.key)
      return (state.images.count > state.sweepCount, old)
    }
    withExtendedLifetime(old) {}
    if mustSweep { sweep() }
  }

  /// Takes out what is still shown under a key.
  func take(_ key: CacheKey) -> Found? {
    guard let shown = remove(key), let image = shown.image.image else { return nil }
    return Found(entry: CacheEntry(image: image, record: shown.record), stored: shown.stored)
  }

  func contains(_ key: CacheKey) -> Bool {
    state.withLock { $0.images[key] }?.image.image != nil
  }

  func forget(_ key: CacheKey) { _ = remove(key) }

  func renew(_ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64) {
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
    // Keys may hold the last reference to a user's object, so the old table ends outside the lock.
    let old = state.withLock { state in
      defer { state = State() }
      return state.images
    }
    withExtendedLifetime(old) {}
  }

  private func remove(_ key: CacheKey) -> Shown? {
    // The value has the key too, so that the last reference to it never ends inside the lock.
    state.withLock { $0.images.removeValue(forKey: key) }
  }

  /// Forgets those that nobody shows any more.
  private func sweep() {
    let all = state.withLock { $0.images }
    // Looking at an image may leave its last reference here, so it is done outside the lock.
    let gone = all.filter { $0.value.image.image == nil }.map(\.key)
    let old = state.withLock { state in
      let removed = gone.compactMap { key in state.images.removeValue(forKey: key) }
      state.sweepCount = max(64, state.images.count * 2)
      return removed
    }
    withExtendedLifetime((all, old)) {}
  }
}
