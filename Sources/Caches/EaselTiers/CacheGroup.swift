import EaselCore
import EaselSupport

/// Several caches that act as one.
///
/// The cache added last is the highest, and each operation has its own policy.
///
/// A group is immutable: adding a cache makes another group. An empty group finds and keeps nothing. When a cache
/// fails, the others are still asked. The errors are thrown at the end, unless another cache has answered the question.
public struct CacheGroup: ImageCache {
  /// The caches; the highest is last.
  public let caches: [any ImageCache]
  /// The policy of each operation.
  public let policies: Policies

  /// Groups caches, of which the last is the highest, with a policy for each operation.
  public init(_ caches: [any ImageCache] = [], policies: Policies = Policies()) {
    self.caches = caches
    self.policies = policies
  }

  /// Returns the same group with `cache` as the highest.
  public func adding(_ cache: any ImageCache) -> CacheGroup { CacheGroup(caches + [cache], policies: policies) }

  /// The entry in the memory of the caches that take part in queries; higher caches come first.
  public func memoryEntry(for key: CacheKey) -> CacheEntry? {
    for cache in members(policies.query) {
      if let entry = cache.memoryEntry(for: key) { return entry }
    }
    return nil
  }

  /// The layers of all caches that take part in storing.
  public func layers(for key: CacheKey) -> CacheLayers {
    members(policies.store).reduce([]) { $0.union($1.layers(for: key)) }
  }

  /// Looks up an entry in the caches.
  ///
  /// With ``Policy/serial``, the highest cache that has the entry answers. With ``Policy/concurrent``, the highest
  /// cache with the entry in memory answers, otherwise the cache that is first.
  public func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? {
    let caches = members(policies.query)
    if policies.query == .concurrent {
      if layers.contains(.memory), let entry = memoryEntry(for: key) { return CacheEntry.Hit(entry, in: .memory) }
      return try await CacheRace(caches, subject: key.readable).run { try await $0.query(key, in: layers) }
    }
    var failures = CacheFailures(subject: key.readable)
    for cache in caches {
      do {
        if let hit = try await cache.query(key, in: layers) { return hit }
      } catch {
        try failures.add(error)
      }
    }
    try failures.throwIfAny(of: caches.count)
    return nil
  }

  /// Stores an entry.
  public func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {
    try await each(policies.store, key) { try await $0.store(entry, for: key, in: layers) }
  }

  /// Keeps only the entries made from these bytes of the original, and gives them the new record if there is one.
  public func renew(
    _ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws {
    try await each(policies.renew, key) {
      try await $0.renew(response, ofOriginal: key, generation: generation, in: layers)
    }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey, from layers: CacheLayers) async throws {
    try await each(policies.remove, key) { try await $0.remove(key, from: layers) }
  }

  /// The layers of all caches that have an entry.
  ///
  /// A serial search stops as soon as it has found all layers.
  public func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers {
    let found = Locked<CacheLayers>([])
    do {
      try await each(policies.contains, key) { cache in
        guard policies.contains == .concurrent || found.withLock({ $0 != layers }) else { return }
        let layers = try await cache.contains(key, in: layers)
        found.withLock { $0.formUnion(layers) }
      }
    } catch {
      if found.withLock({ $0 != layers }) { throw error }
    }
    return found.withLock { $0 }
  }

  /// Removes all entries.
  public func clear(_ layers: CacheLayers) async throws {
    try await each(policies.clear) { try await $0.clear(layers) }
  }

  /// Removes entries that have expired or exceed the limits.
  public func trim(_ layers: CacheLayers) async throws {
    try await each(policies.trim) { try await $0.trim(layers) }
  }

  /// The number of entries in all caches together.
  public func count(in layer: CacheLayers) async throws -> Int {
    var count = 0
    for cache in caches { count = count.adding(stated: try await cache.count(in: layer)) }
    return count
  }

  /// The number of bytes that the entries in all caches take together.
  public func size(of layer: CacheLayers) async throws -> Int {
    var size = 0
    for cache in caches { size = size.adding(stated: try await cache.size(of: layer)) }
    return size
  }

  /// The caches that take part under a policy; higher caches come first.
  private func members(_ policy: Policy) -> [any ImageCache] {
    switch policy {
    case .serial, .concurrent: caches.reversed()
    case .highestOnly: caches.suffix(1)
    case .lowestOnly: Array(caches.prefix(1))
    }
  }

  private func each(
    _ policy: Policy, _ key: CacheKey? = nil,
    _ body: @escaping @Sendable (any ImageCache) async throws -> Void
  ) async throws {
    let caches = members(policy)
    var failures = CacheFailures(subject: key?.readable)
    if policy == .concurrent {
      await withTaskGroup(of: (any Error)?.self) { group in
        for cache in caches {
          group.addTask {
            do { try await body(cache) } catch { return error }
            return nil
          }
        }
        for await error in group { if let error { failures.note(error) } }
      }
    } else {
      for cache in caches {
        do { try await body(cache) } catch { try failures.add(error) }
      }
    }
    try failures.throwIfAny(of: caches.count)
  }
}

extension CacheGroup {
  /// The policy of each operation of a group.
  public struct Policies: Hashable, Sendable {
    /// The policy of lookups.
    public var query = Policy.serial
    /// The policy of storing an entry.
    public var store = Policy.highestOnly
    /// The policy of renewing the record of an original.
    public var renew = Policy.concurrent
    /// The policy of removing an entry.
    public var remove = Policy.concurrent
    /// The policy of asking which layers have an entry.
    public var contains = Policy.serial
    /// The policy of removing all entries.
    public var clear = Policy.concurrent
    /// The policy of removing expired entries.
    public var trim = Policy.concurrent

    /// Creates the default policies: look up from the highest down, store in the highest, remove everywhere.
    public init() {}
  }
}

extension CacheGroup {
  /// Decides which caches of a group take part in an operation, and in which order.
  public enum Policy: Hashable, Sendable, CaseIterable {
    /// One cache after another, from the highest to the lowest; a question ends with the first answer.
    case serial
    /// All caches at once.
    ///
    /// The first hit of a query counts, and the other queries are cancelled. The memory of all caches is searched
    /// before the queries begin.
    case concurrent
    /// Only the highest cache.
    case highestOnly
    /// Only the lowest cache.
    case lowestOnly
  }
}
