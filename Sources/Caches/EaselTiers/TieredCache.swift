import EaselCore
import EaselWorkers

/// A cache of a memory store, a disk store and a shared store, asked in this order; any of them may be missing.
///
/// The disk store may take 5 seconds to find an entry, 30 to store, renew, remove or count entries, and 300 to clear or
/// trim. A longer call fails with `cacheFailed` and is abandoned. While several calls hang, the disk is skipped.
///
/// The shared store is asked last, within the time limits of ``TieredCache/SharedStoreSettings``. It never blocks a
/// thread. After several errors in a row, it is not asked for a while. A ``SharedStoreGroup`` has such settings for
/// each of its stores.
///
/// ```swift
/// let disk = SQLiteDiskStore(directory: "/var/cache/pictures")
/// configuration.cache = TieredCache(memory: LRUMemoryStore(), disk: disk)
/// ```
public final class TieredCache: ImageCache {
  /// The store for pictures in memory.
  public var memory: (any MemoryStore)? { memoryAtHand?.store }
  /// The store for bytes on disk.
  public let disk: (any DiskStore)?
  /// The store for bytes that several machines use.
  public let shared: (any SharedStore)?

  private final class StoreAtHand: Sendable {
    let store: any MemoryStore

    init(_ store: any MemoryStore) { self.store = store }
  }

  // Reading an optional existential copies it, which takes as long as a lookup.
  private let memoryAtHand: StoreAtHand?
  let calls: DiskStoreCalls
  /// The shared store with its time limits: a guarded store, or a group, which has limits for each of its stores.
  private let guarded: (any SharedStore)?

  /// Creates a cache of these stores; a layer without a store holds nothing.
  ///
  /// ```swift
  /// configuration.cache = TieredCache(memory: LRUMemoryStore())
  /// ```
  public convenience init(
    memory: (any MemoryStore)? = nil, disk: (any DiskStore)? = nil, shared: (any SharedStore)? = nil,
    sharedSettings: TieredCache.SharedStoreSettings = TieredCache.SharedStoreSettings()
  ) {
    self.init(
      memory: memory, disk: disk, shared: shared, sharedSettings: sharedSettings, workers: .files, writers: .fileWrites)
  }

  package init(
    memory: (any MemoryStore)?, disk: (any DiskStore)?, shared: (any SharedStore)? = nil,
    sharedSettings: TieredCache.SharedStoreSettings = TieredCache.SharedStoreSettings(),
    clock: any ImageClock = SystemClock(),
    workers: WorkerSet, writers: WorkerSet? = nil
  ) {
    memoryAtHand = memory.map { StoreAtHand($0) }
    self.disk = disk
    self.shared = shared
    calls = DiskStoreCalls(workers: workers, writers: writers ?? workers)
    guarded = shared.map { $0 is SharedStoreGroup ? $0 : GuardedStore($0, sharedSettings, clock: clock) }
  }

  /// The number of calls of the disk store that are overdue and have not yet returned.
  public var hangingCallCount: Int { calls.hangingCount }

  /// The number of calls of the shared store so far.
  ///
  /// The calls of a ``SharedStoreGroup`` are in its own ``SharedStoreGroup/counts``.
  public var sharedCounts: TieredCache.SharedStoreCounts {
    (guarded as? GuardedStore)?.counts ?? TieredCache.SharedStoreCounts()
  }

  /// The entry in memory.
  public func memoryEntry(for key: CacheKey) -> CacheEntry? { memoryAtHand?.store.entry(for: key) }

  /// The layers that have a store.
  ///
  /// The disk and the shared store take only keys that are valid in other processes.
  public func layers(for key: CacheKey) -> CacheLayers {
    var layers: CacheLayers = memory == nil ? [] : .memory
    if disk(for: key, in: .disk) != nil { layers.insert(.disk) }
    if shared(for: key, in: .shared) != nil { layers.insert(.shared) }
    return layers
  }

  /// The entry in memory, else on disk, else in the shared store.
  public func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? {
    if layers.contains(.memory), let entry = memory?.entry(for: key) { return CacheEntry.Hit(entry, in: .memory) }
    guard let shared = shared(for: key, in: layers) else { return try await queryDisk(key, in: layers) }
    // If the disk fails, the shared store can still answer.
    let onDisk: Result<CacheEntry.Hit?, any Error>
    do { onDisk = .success(try await queryDisk(key, in: layers)) } catch { onDisk = .failure(error) }
    if case .success(let hit?) = onDisk { return hit }
    let found: CacheEntry?
    do {
      found = try await shared.entry(for: key)
    } catch {
      guard case .failure(let failure) = onDisk else { throw error }
      throw ImageError.ofDiskAndSharedStore([failure, error], key)
    }
    guard let found else { return try onDisk.get() }
    // The shared store has only bytes, and no pictures.
    return found.bytes.map { CacheEntry.Hit(CacheEntry(bytes: $0, record: found.record), in: .shared) }
  }

  private func queryDisk(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? {
    guard let disk = disk(for: key, in: layers) else { return nil }
    return try await calls.run(key, within: DiskStoreCalls.readTime) { try disk.entry(for: key) }.map {
      CacheEntry.Hit($0, in: .disk)
    }
  }

  /// Stores the entry in memory, and also on disk and in the shared store if it has bytes.
  public func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {
    let entry = entry.bound(to: key)
    if layers.contains(.memory), entry.image != nil || entry.bytes != nil { memory?.store(entry, for: key) }
    guard let bytes = entry.bytes else { return }
    try await each(key, in: layers) { disk in
      // A write that ends too late may have replaced a newer entry, so its entry is removed.
      try await self.calls.run(key, within: DiskStoreCalls.writeTime, changes: true, undo: { try? disk.remove(key) }) {
        try disk.store(entry, for: key)
      }
    } shared: { store in
      try await store.store(CacheEntry(bytes: bytes, record: entry.record), for: key)
    }
  }

  /// Keeps only the entries made from these bytes of the original, and gives them the new record if there is one.
  public func renew(
    _ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws {
    if layers.contains(.memory) { memory?.renew(response, ofOriginal: key, generation: generation) }
    try await each(key, in: layers) { disk in
      try await self.calls.run(key, within: DiskStoreCalls.writeTime, changes: true) {
        try disk.renew(response, ofOriginal: key, generation: generation)
      }
    } shared: { store in
      try await store.renew(response, ofOriginal: key, generation: generation)
    }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey, from layers: CacheLayers) async throws {
    if layers.contains(.memory) { memory?.remove(key) }
    try await each(key, in: layers) { disk in
      try await self.calls.run(key, within: DiskStoreCalls.writeTime, changes: true) { try disk.remove(key) }
    } shared: { store in
      try await store.remove(key)
    }
  }

  /// The layers that have an entry.
  public func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers {
    var found: CacheLayers = []
    if layers.contains(.memory), memory?.contains(key) == true { found.insert(.memory) }
    if let disk = disk(for: key, in: layers),
      try await calls.run(key, within: DiskStoreCalls.readTime, { try disk.contains(key) })
    {
      found.insert(.disk)
    }
    if let shared = shared(for: key, in: layers), try await shared.contains(key) { found.insert(.shared) }
    return found
  }

  /// Removes all entries.
  ///
  /// The shared store removes them for all machines.
  public func clear(_ layers: CacheLayers) async throws {
    if layers.contains(.memory) { memory?.removeAll() }
    try await each(nil, in: layers) { disk in
      try await self.calls.run(within: DiskStoreCalls.tidyTime, changes: true) { try disk.removeAll() }
    } shared: { store in
      try await store.removeAll()
    }
  }

  /// Removes entries that have expired or exceed the limits.
  ///
  /// A shared store trims itself.
  public func trim(_ layers: CacheLayers) async throws {
    if layers.contains(.memory) { memory?.trim() }
    guard let disk, layers.contains(.disk) else { return }
    try await calls.run(within: DiskStoreCalls.tidyTime, changes: true) { try disk.trim() }
  }

  /// The number of entries in the given layers together.
  ///
  /// A shared store that does not count is left out; if only this store is asked, the cache throws `cacheFailed`.
  public func count(in layers: CacheLayers) async throws -> Int {
    var count = 0
    if layers.contains(.memory) { count = count.adding(stated: memory?.count ?? 0) }
    if let disk, layers.contains(.disk) {
      count = count.adding(stated: try await calls.run(within: DiskStoreCalls.writeTime) { try disk.count() })
    }
    return count.adding(stated: try await fromShared(in: layers) { try await $0.count() })
  }

  /// The number of bytes that the entries in the given layers take together.
  ///
  /// A shared store that does not count is left out; if only this store is asked, the cache throws `cacheFailed`.
  public func size(of layers: CacheLayers) async throws -> Int {
    var size = 0
    if layers.contains(.memory) { size = size.adding(stated: memory?.totalCost ?? 0) }
    if let disk, layers.contains(.disk) {
      size = size.adding(stated: try await calls.run(within: DiskStoreCalls.writeTime) { try disk.totalSize() })
    }
    return size.adding(stated: try await fromShared(in: layers) { try await $0.totalSize() })
  }

  private func fromShared(
    in layers: CacheLayers, _ number: (any SharedStore) async throws -> Int?
  ) async throws -> Int {
    guard let guarded, layers.contains(.shared) else { return 0 }
    guard let known = try await number(guarded) else {
      guard layers == .shared else { return 0 }
      throw ImageError(.cacheFailed, "The shared store cannot tell how much it holds. Ask its engine.")
    }
    return known
  }

  /// Changes the disk and the shared store; if one fails, the other is still changed.
  private func each(
    _ key: CacheKey?, in layers: CacheLayers, disk changeDisk: (any DiskStore) async throws -> Void,
    shared changeShared: (any SharedStore) async throws -> Void
  ) async throws {
    let mayLast = key?.isStorable ?? true
    var errors: [any Error] = []
    if let disk, mayLast, layers.contains(.disk) {
      do { try await changeDisk(disk) } catch { errors.append(error) }
    }
    if let guarded, mayLast, layers.contains(.shared) {
      do { try await changeShared(guarded) } catch { errors.append(error) }
    }
    guard let first = errors.first else { return }
    if errors.count == 1 { throw first }
    throw ImageError.ofDiskAndSharedStore(errors, key)
  }

  /// The disk store, if the layers include it and the key may be stored on disk.
  private func disk(for key: CacheKey, in layers: CacheLayers) -> (any DiskStore)? {
    layers.contains(.disk) && key.isStorable ? disk : nil
  }

  /// The shared store, if the layers include it and the key is valid on other machines.
  private func shared(for key: CacheKey, in layers: CacheLayers) -> (any SharedStore)? {
    layers.contains(.shared) && key.isStorable ? guarded : nil
  }
}
