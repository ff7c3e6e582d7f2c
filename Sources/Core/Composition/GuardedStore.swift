/// A shared store whose calls have deadlines, and which is left alone while it fails.
final class GuardedStore: SharedStore {
  let store: any SharedStore
  private let calls: SharedCalls

  init(_ store: any SharedStore, _ settings: SharedStoreSettings, clock: any ImageClock) {
    self.store = store
    calls = SharedCalls(settings, clock: clock)
  }

  var counts: SharedStoreCounts { calls.counts }

  func entry(for key: CacheKey) async throws -> CacheEntry? { try await calls.entry(for: key, in: store) }

  func store(_ entry: CacheEntry, for key: CacheKey) async throws {
    try await calls.run(key, within: calls.settings.storeTime) { [store] in try await store.store(entry, for: key) }
  }

  func renew(_ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64) async throws {
    try await calls.run(key, within: calls.settings.storeTime) { [store] in
      try await store.renew(response, ofOriginal: key, generation: generation)
    }
  }

  func remove(_ key: CacheKey) async throws {
    try await calls.run(key, within: calls.settings.storeTime) { [store] in try await store.remove(key) }
  }

  func contains(_ key: CacheKey) async throws -> Bool {
    try await calls.run(key, within: calls.settings.answerTime) { [store] in try await store.contains(key) }
  }

  func removeAll() async throws {
    try await calls.run(within: calls.settings.tidyTime) { [store] in try await store.removeAll() }
  }

  func count() async throws -> Int? {
    try await calls.run(within: calls.settings.tidyTime) { [store] in try await store.count() }
  }

  func totalSize() async throws -> Int? {
    try await calls.run(within: calls.settings.tidyTime) { [store] in try await store.totalSize() }
  }
}
