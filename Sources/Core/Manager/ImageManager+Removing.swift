import FoundationEssentials

/// Removing what is cached, so that it stays removed.
extension ImageManager {
  /// Removes everything from the manager's caches.
  ///
  /// Work that is under way brings nothing back: loads, refreshes and stores that began before this returns
  /// deliver their pictures, but leave nothing in these layers. Calling `clear` of a cache itself has no such effect.
  ///
  /// It throws `cacheFailed` when a cache fails; the others have done their part then.
  public func clearCache(_ layers: CacheLayers = .all) async throws(ImageError) {
    var caches = [configuration.cache]
    if let originals = configuration.originalCache { caches.append(originals) }
    try await remove(nil, in: layers, of: caches, subject: nil) { cache, layers in try await cache.clear(layers) }
  }

  /// Removes the picture that a request asks for: its original, and everything that was made of that.
  ///
  /// Work that is under way does not bring it back: loads, refreshes and stores of the picture that began before this
  /// returns deliver, but leave nothing in these layers. Calling `remove` of a cache itself has no such effect, and
  /// removes what lies under that one key.
  ///
  /// It throws `invalidURL` for a request without a URL, and `cacheFailed` when a cache fails.
  public func removeCachedImage(
    for request: ImageRequest, from layers: CacheLayers = .all
  ) async throws(ImageError) {
    try await remove(try resolved(request), from: layers)
  }

  /// The same for a request of which is known what it means.
  func remove(_ resolved: ResolvedRequest, from layers: CacheLayers) async throws(ImageError) {
    guard resolved.isCacheable else { return }
    let key = resolved.originalKey
    try await remove(key, in: layers, of: resolved.caches, subject: key.readable) { cache, layers in
      // A generation that nothing has, so that whatever was made of the original is of another one.
      try await cache.renew(nil, ofOriginal: key, generation: .random(in: 1 ... .max), in: layers)
      try await cache.remove(key, from: layers)
      if resolved.isVariant { try await cache.remove(resolved.variantKey, from: layers) }
    }
  }

  /// Removes the picture at a URL: its original, and everything that was made of that.
  public func removeCachedImage(for url: URL?, from layers: CacheLayers = .all) async throws(ImageError) {
    try await removeCachedImage(for: ImageRequest(url: url), from: layers)
  }

  private func resolved(_ request: ImageRequest) throws(ImageError) -> ResolvedRequest {
    guard let resolved = request.resolved(with: configuration, by: identity) else {
      throw ImageError(.invalidURL, "There is no URL whose picture to remove: it is empty or cannot be read.")
    }
    return resolved
  }

  private func remove(
    _ original: CacheKey?, in layers: CacheLayers, of caches: [any ImageCache], subject: String?,
    _ body: @escaping @Sendable (any ImageCache, CacheLayers) async throws -> Void
  ) async throws(ImageError) {
    var failures: [any Error] = []
    await storeLanes.remove(original, in: layers) { layers in
      for cache in caches {
        do {
          // While something is removed, nothing is stored: a cache that hangs must not keep it so for ever.
          try await call(cache, about: original, within: Self.removeTime) { try await body(cache, layers) }
        } catch {
          failures.append(error)
        }
      }
    }
    // A load that begins now must not be answered by what was looked up or loaded before.
    forgetRuns(of: original)
    guard let first = failures.first else { return }
    throw .wrapping(first, as: .cacheFailed, "A cache could not remove what it was to remove.", subject: subject)
  }

  /// Lets nobody join what is under way; those who wait for it already are answered.
  private func forgetRuns(of original: CacheKey?) {
    func isMeant(_ key: CacheKey) -> Bool { original.map(key.hasSameOriginal) ?? true }
    lookupRuns.forgetAll { isMeant($0.key) }
    transferRuns.forgetAll { isMeant($0.original) }
    pictureRuns.forgetAll { isMeant($0.variant) }
  }
}
