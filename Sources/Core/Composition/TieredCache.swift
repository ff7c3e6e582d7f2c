/// A cache of a memory store over a disk store; either may be missing.
///
/// The disk store gets 5 seconds to find an entry, 30 to store, renew, remove or count entries, and 300 to clear or
/// trim. A longer call fails with `cacheFailed` and is abandoned. While several calls hang, the disk is skipped.
public final class TieredCache: ImageCache {
  /// The store for pictures in memory.
  public let memory: (any MemoryStore)?
  /// The store for bytes on disk.
  public let disk: (any DiskStore)?

  private let calls: DiskCalls

  /// Creates a cache.
  public convenience init(memory: (any MemoryStore)? = nil, disk: (any DiskStore)? = nil) {
    self.init(memory: memory, disk: disk, workers: .files, writers: .fileWrites)
  }

  package init(
    memory: (any MemoryStore)?, disk: (any DiskStore)?, workers: WorkerSet, writers: WorkerSet? = nil
  ) {
    self.memory = memory
    self.disk = disk
    calls = DiskCalls(workers: workers, writers: writers ?? workers)
  }

  /// The number of disk store calls that are overdue and have not returned yet.
  public var hangingCallCount: Int { calls.hangingCount }

  /// The entry in memory.
  public func memoryEntry(for key: CacheKey) -> CacheEntry? { memory?.entry(for: key) }

  /// The layers that have a store.
  ///
  /// The disk takes only keys that are valid in another process.
  public func layers(for key: CacheKey) -> CacheLayers {
    var layers: CacheLayers = memory == nil ? [] : .memory
    if disk(for: key, in: .disk) != nil { layers.insert(.disk) }
    return layers
  }

  /// The entry in memory, otherwise the one on disk.
  public func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheHit? {
    if layers.contains(.memory), let entry = memory?.entry(for: key) { return CacheHit(entry, in: .memory) }
    guard let disk = disk(for: key, in: layers) else { return nil }
    return try await calls.run(key, within: DiskCalls.readTime) { try disk.entry(for: key) }.map {
      CacheHit($0, in: .disk)
    }
  }

  /// Stores the entry in memory, and on disk when it has bytes.
  public func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {
    if layers.contains(.memory), entry.image != nil || entry.bytes != nil { memory?.store(entry, for: key) }
    guard entry.bytes != nil, let disk = disk(for: key, in: layers) else { return }
    // A write that ends too late may have replaced something newer, so its entry is removed again.
    try await calls.run(key, within: DiskCalls.writeTime, changes: true, undo: { try? disk.remove(key) }) {
      try disk.store(entry, for: key)
    }
  }

  /// Keeps only the entries made from these bytes of the original, and gives them the new record if there is one.
  public func renew(
    _ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws {
    if layers.contains(.memory) { memory?.renew(response, ofOriginal: key, generation: generation) }
    guard let disk = disk(for: key, in: layers) else { return }
    try await calls.run(key, within: DiskCalls.writeTime, changes: true) {
      try disk.renew(response, ofOriginal: key, generation: generation)
    }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey, from layers: CacheLayers) async throws {
    if layers.contains(.memory) { memory?.remove(key) }
    guard let disk = disk(for: key, in: layers) else { return }
    try await calls.run(key, within: DiskCalls.writeTime, changes: true) { try disk.remove(key) }
  }

  /// The layers that hold an entry.
  public func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers {
    var found: CacheLayers = []
    if layers.contains(.memory), memory?.contains(key) == true { found.insert(.memory) }
    if let disk = disk(for: key, in: layers),
      try await calls.run(key, within: DiskCalls.readTime, { try disk.contains(key) })
    {
      found.insert(.disk)
    }
    return found
  }

  /// Removes all entries.
  public func clear(_ layers: CacheLayers) async throws {
    if layers.contains(.memory) { memory?.removeAll() }
    guard let disk, layers.contains(.disk) else { return }
    try await calls.run(within: DiskCalls.tidyTime, changes: true) { try disk.removeAll() }
  }

  /// Removes entries that have expired or exceed the limits.
  public func trim(_ layers: CacheLayers) async throws {
    if layers.contains(.memory) { memory?.trim() }
    guard let disk, layers.contains(.disk) else { return }
    try await calls.run(within: DiskCalls.tidyTime, changes: true) { try disk.trim() }
  }

  /// The number of entries in the given layers together.
  public func count(in layers: CacheLayers) async throws -> Int {
    var count = 0
    if layers.contains(.memory) { count += memory?.count ?? 0 }
    if let disk, layers.contains(.disk) {
      count += try await calls.run(within: DiskCalls.writeTime) { try disk.count() }
    }
    return count
  }

  /// The bytes that the entries in the given layers take together.
  public func size(of layers: CacheLayers) async throws -> Int {
    var size = 0
    if layers.contains(.memory) { size += memory?.totalCost ?? 0 }
    if let disk, layers.contains(.disk) {
      size += try await calls.run(within: DiskCalls.writeTime) { try disk.totalSize() }
    }
    return size
  }

  /// The disk store, if the layers include it and the key may be stored on disk.
  private func disk(for key: CacheKey, in layers: CacheLayers) -> (any DiskStore)? {
    layers.contains(.disk) && key.isStorable ? disk : nil
  }
}
