import EaselCore

/// A shared store whose calls have time limits, and which is not asked while it fails.
final class GuardedStore: SharedStore {
  private let calls: SharedStoreCalls

  init(_ store: any SharedStore, _ settings: TieredCache.SharedStoreSettings, clock: any ImageClock) {
    calls = SharedStoreCalls(of: store, settings, clock: clock)
  }

  var counts: TieredCache.SharedStoreCounts { calls.counts }

  func entry(for key: CacheKey) async throws -> CacheEntry? { try await calls.entry(for: key) }

  func store(_ entry: CacheEntry, for key: CacheKey) async throws {
    try await calls.change(key, within: calls.settings.storeTime) { try await $0.store(entry, for: key) }
  }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws {
    try await calls.change(key, within: calls.settings.storeTime) {
      try await $0.renew(response, ofOriginal: key, generation: generation)
    }
  }

  func remove(_ key: CacheKey) async throws {
    try await calls.change(key, within: calls.settings.storeTime) { try await $0.remove(key) }
  }

  func contains(_ key: CacheKey) async throws -> Bool { try await calls.contains(key) }

  func removeAll() async throws {
    try await calls.change(within: calls.settings.tidyTime) { try await $0.removeAll() }
  }

  func count() async throws -> Int? { try await calls.change(within: calls.settings.tidyTime) { try await $0.count() } }

  func totalSize() async throws -> Int? {
    try await calls.change(within: calls.settings.tidyTime) { try await $0.totalSize() }
  }
}
