import EaselCore
import FoundationEssentials

/// Removing cached pictures so that they stay removed.
extension ImageManager {
  /// Removes everything from the manager's caches.
  ///
  /// The default is the layers of this machine, where everything that a shared store still has is found again. Name
  /// `.all` to empty the shared store too, for all machines that use it.
  ///
  /// Running work cannot bring anything back: loads, refreshes and stores that began before this returns still deliver
  /// their pictures, but store nothing in these layers. Calling `clear` on a cache directly has no such effect.
  ///
  /// Throws `cacheFailed` when a cache fails; the other caches have been cleared by then.
  ///
  /// ```swift
  /// try await manager.clearCache(.memory)
  /// ```
  public func clearCache(_ layers: CacheLayers = .local) async throws(ImageError) {
    var caches = [configuration.cache]
    if let originals = configuration.originalCache { caches.append(originals) }
    try await remove(nil, in: layers, of: caches, subject: nil) { cache, layers in try await cache.clear(layers) }
  }

  /// Removes the original that a request asks for, and everything that was made from it.
  ///
  /// Running work cannot bring it back: loads, refreshes and stores of the picture that began before this returns still
  /// deliver, but store nothing in these layers. Calling `remove` on a cache directly has no such effect and only
  /// removes the entry under that one key.
  ///
  /// Throws `invalidURL` for a request without a URL, and `cacheFailed` when a cache fails.
  public func removeCachedImage(
    for request: ImageRequest, from layers: CacheLayers = .all
  ) async throws(ImageError) {
    try await remove(try resolved(request), from: layers)
  }

  /// The same for a resolved request.
  func remove(_ resolved: ResolvedRequest, from layers: CacheLayers) async throws(ImageError) {
    guard resolved.isCacheable else { return }
    let key = resolved.originalKey
    try await remove(key, in: layers, of: resolved.caches, subject: key.readable) { cache, layers in
      // No entry has this random generation, so everything that was made from the original counts as outdated.
      try await cache.renew(nil, ofOriginal: key, generation: .random(in: 1 ... .max), in: layers)
      try await cache.remove(key, from: layers)
      if resolved.resultKey.isVariant { try await cache.remove(resolved.resultKey, from: layers) }
    }
  }

  /// Removes the original at a URL, and everything that was made from it.
  ///
  /// ```swift
  /// try await manager.removeCachedImage(for: url)
  /// let fresh = try await manager.image(for: url)
  /// ```
  public func removeCachedImage(for url: URL?, from layers: CacheLayers = .all) async throws(ImageError) {
    try await removeCachedImage(for: ImageRequest(url: url), from: layers)
  }

  private func resolved(_ request: ImageRequest) throws(ImageError) -> ResolvedRequest {
    if let resolved = request.resolved(with: configuration, by: identity) { return resolved }
    let reason = request.whyUnresolved
    guard reason.code == .invalidURL else { throw reason }
    throw ImageError(.invalidURL, "The picture cannot be removed, because its URL is empty or cannot be read.")
  }

  private func remove(
    _ original: CacheKey?, in layers: CacheLayers, of caches: [any ImageCache], subject: String?,
    _ body: @escaping @Sendable (any ImageCache, CacheLayers) async throws -> Void
  ) async throws(ImageError) {
    var failures: [any Error] = []
    await storeLanes.remove(original, in: layers) { layers in
      for cache in caches {
        do {
          // Nothing is stored while a removal runs, so a cache that hangs must not block stores for ever.
          try await call(cache, about: original, within: Self.removeTime) { try await body(cache, layers) }
        } catch {
          failures.append(error)
        }
      }
    }
    // A load that begins now must not join a lookup or a transfer that began before the removal.
    forgetRuns(of: original)
    guard let first = failures.first else { return }
    throw .wrapping(first, as: .cacheFailed, "A cache could not remove its entries.", subject: subject)
  }

  /// Removes running work from the tables, so that no new load joins it.
  ///
  /// Loads that already wait still get their answers.
  private func forgetRuns(of original: CacheKey?) {
    func matches(_ key: CacheKey) -> Bool { original.map(key.hasSameOriginal) ?? true }
    lookupRuns.forgetAll { matches($0.key) }
    transferRuns.forgetAll { matches($0.original) }
    pictureRuns.forgetAll { matches($0.result) }
    encodedRuns.forgetAll { matches($0.result) }
  }
}
