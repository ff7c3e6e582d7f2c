/// A memory store over a disk store, either of which may be missing.
///
/// The disk store is given 5 seconds to find an entry, 30 to keep, renew, forget or count, and 300 to clear and trim. A
/// call that takes longer fails with `cacheFailed` and is left behind; while several hang, the disk is passed over.
public final class TieredCache: ImageCache {
  /// What keeps pictures in memory.
  public let memory: (any MemoryStore)?
  /// What keeps bytes on disk.
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

  /// The number of calls of the disk store that did not return in time and have not done so since.
  public var hangingCallCount: Int { calls.hangingCount }

  /// What memory holds.
  public func memoryEntry(for key: CacheKey) -> CacheEntry? { memory?.entry(for: key) }

  /// The layers for which there is a store; the disk takes only keys that outlive the process.
  public func layers(for key: CacheKey) -> CacheLayers {
    var layers: CacheLayers = memory == nil ? [] : .memory
    if disk(for: key, in: .disk) != nil { layers.insert(.disk) }
    return layers
  }

  /// What memory holds, or else what the disk holds.
  public func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheHit? {
    if layers.contains(.memory), let entry = memory?.entry(for: key) { return CacheHit(entry, in: .memory) }
    guard let disk = disk(for: key, in: layers) else { return nil }
    return try await calls.run(key, within: DiskCalls.readTime) { try disk.entry(for: key) }.map {
      CacheHit($0, in: .disk)
    }
  }

  /// Keeps the entry in memory when it has an image, and on disk when it has bytes.
  public func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {
    if layers.contains(.memory), entry.image != nil || entry.bytes != nil { memory?.store(entry, for: key) }
    guard entry.bytes != nil, let disk = disk(for: key, in: layers) else { return }
    // A write that ends too late may have taken the place of something newer.
    try await calls.run(key, within: DiskCalls.writeTime, changes: true, undo: { try? disk.remove(key) }) {
      try disk.store(entry, for: key)
    }
  }

  /// Keeps only what was made of these bytes of the original, with its new record.
  public func renew(
    _ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws {
    if layers.contains(.memory) { memory?.renew(response, ofOriginal: key, generation: generation) }
    guard let disk = disk(for: key, in: layers) else { return }
    try await calls.run(key, within: DiskCalls.writeTime, changes: true) {
      try disk.renew(response, ofOriginal: key, generation: generation)
    }
  }

  /// Forgets an entry.
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

  /// Forgets everything.
  public func clear(_ layers: CacheLayers) async throws {
    if layers.contains(.memory) { memory?.removeAll() }
    guard let disk, layers.contains(.disk) else { return }
    try await calls.run(within: DiskCalls.tidyTime, changes: true) { try disk.removeAll() }
  }

  /// Lets go of what is expired or over the limits.
  public func trim(_ layers: CacheLayers) async throws {
    if layers.contains(.memory) { memory?.trim() }
    guard let disk, layers.contains(.disk) else { return }
    try await calls.run(within: DiskCalls.tidyTime, changes: true) { try disk.trim() }
  }

  /// The number of entries, of both layers together when both are named.
  public func count(in layers: CacheLayers) async throws -> Int {
    var count = 0
    if layers.contains(.memory) { count += memory?.count ?? 0 }
    if let disk, layers.contains(.disk) {
      count += try await calls.run(within: DiskCalls.writeTime) { try disk.count() }
    }
    return count
  }

  /// The bytes that entries take, of both layers together when both are named.
  public func size(of layers: CacheLayers) async throws -> Int {
    var size = 0
    if layers.contains(.memory) { size += memory?.totalCost ?? 0 }
    if let disk, layers.contains(.disk) {
      size += try await calls.run(within: DiskCalls.writeTime) { try disk.totalSize() }
    }
    return size
  }

  /// The disk store, where it may hold what the key names.
  private func disk(for key: CacheKey, in layers: CacheLayers) -> (any DiskStore)? {
    layers.contains(.disk) && key.isStorable ? disk : nil
  }
}
