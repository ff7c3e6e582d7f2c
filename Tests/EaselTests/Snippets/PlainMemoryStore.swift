import Easel
import Synchronization

// Documentation: writing a cache.
final class PlainMemoryStore: MemoryStore {
  private let entries = Mutex<[CacheKey: CacheEntry]>([:])

  func entry(for key: CacheKey) -> CacheEntry? { entries.withLock { $0[key] } }
  func store(_ entry: CacheEntry, for key: CacheKey) { entries.withLock { $0[key] = entry } }
  func remove(_ key: CacheKey) { entries.withLock { $0[key] = nil } }
  func contains(_ key: CacheKey) -> Bool { entry(for: key) != nil }
  func removeAll() { entries.withLock { $0 = [:] } }
  func trim() {}
  var count: Int { entries.withLock { $0.count } }
  var totalCost: Int { entries.withLock { $0.values.reduce(0) { $0 + $1.memoryCost } } }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {
    entries.withLock { entries in
      for (other, entry) in entries where other.originalKey == key.originalKey {
        guard entry.record.generation == generation else {
          entries[other] = nil
          continue
        }
        guard let response else { continue }
        var record = entry.record
        record.response = response
        entries[other] = entry.with(record)
      }
    }
  }
}
