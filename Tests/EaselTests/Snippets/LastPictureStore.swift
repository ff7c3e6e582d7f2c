import Easel

// Documentation: writing a cache.
final class LastPictureStore: MemoryStore {
  private let last = Locked<(key: CacheKey, entry: CacheEntry)?>(nil)

  func entry(for key: CacheKey) -> CacheEntry? { last.withLock { $0?.key == key ? $0?.entry : nil } }
  func store(_ entry: CacheEntry, for key: CacheKey) { last.withLock { $0 = (key, entry) } }
  func remove(_ key: CacheKey) { last.withLock { if $0?.key == key { $0 = nil } } }
  func contains(_ key: CacheKey) -> Bool { entry(for: key) != nil }
  func removeAll() { last.withLock { $0 = nil } }
  func trim() {}
  var count: Int { last.withLock { $0 == nil ? 0 : 1 } }
  var totalCost: Int { last.withLock { $0?.entry.memoryCost ?? 0 } }

  func renew(_ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64) {
    last.withLock { last in
      guard let (kept, entry) = last, kept.original == key.original, kept.scope == key.scope else { return }
      guard entry.record.generation == generation else { return last = nil }
      guard let response else { return }
      var record = entry.record
      record.response = response
      last = (kept, entry.with(record))
    }
  }
}
