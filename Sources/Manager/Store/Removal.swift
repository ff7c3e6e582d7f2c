import EaselCore
import EaselTiers

/// Removes entries of caches so that running loads do not store them again.
struct Removal: Sendable {
  let manager: ImageManager

  /// Removes everything from the manager's caches.
  func removeEverything(from layers: CacheLayers) async throws(ImageError) {
    let caches = [manager.configuration.cache, manager.configuration.originalCache].compactMap { $0 }
    try await remove(nil, in: layers, of: caches) { cache, layers in try await cache.clear(layers) }
  }

  /// Removes the original of a request, and everything that was made from it.
  func remove(_ request: ResolvedRequest, from layers: CacheLayers) async throws(ImageError) {
    guard request.isCacheable else { return }
    let key = request.originalKey
    try await remove(key, in: layers, of: request.caches) { cache, layers in
      // No entry has this random generation, so everything made from the original counts as outdated.
      try await cache.renew(nil, ofOriginal: key, generation: .random(in: 1 ... .max), in: layers)
      try await cache.remove(key, from: layers)
      if request.resultKey.isVariant { try await cache.remove(request.resultKey, from: layers) }
    }
  }

  private func remove(
    _ original: CacheKey?, in layers: CacheLayers, of caches: [any ImageCache],
    _ body: @escaping @Sendable (any ImageCache, CacheLayers) async throws -> Void
  ) async throws(ImageError) {
    var failures: [any Error] = []
    await manager.storeQueues.remove(original, in: layers) { layers in
      for cache in caches {
        do {
          // Nothing is stored while a removal runs, so a cache that hangs must not block stores for ever.
          let calls = CacheCalls(cache: cache, clock: manager.configuration.clock)
          try await calls.call(about: original, within: CacheCalls.removeTime) { try await body(cache, layers) }
        } catch {
          failures.append(error)
        }
      }
      // A load that may store again must not join a lookup that has found what is removed now.
      forgetRuns(of: original)
    }
    // Nor must it join a transfer that may store nothing, because it began during the removal.
    forgetRuns(of: original)
    guard let first = failures.first else { return }
    throw .wrapping(first, as: .cacheFailed, "A cache could not remove its entries.", subject: original?.readable)
  }

  /// Removes running work from the tables, so that no new load joins it.
  ///
  /// Loads that already wait still get their answers.
  private func forgetRuns(of original: CacheKey?) {
    func matches(_ key: CacheKey) -> Bool { original.map(key.hasSameOriginal) ?? true }
    manager.lookupRuns.forgetAll { matches($0.key) }
    manager.transferRuns.forgetAll { matches($0.original) }
    manager.resultRuns.forgetAll { matches($0.result) }
  }
}
