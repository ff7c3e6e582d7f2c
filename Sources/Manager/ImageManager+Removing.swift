import EaselCore
import FoundationEssentials

/// Removing cached pictures so that running loads do not store them again, and forgetting failed URLs.
extension ImageManager {
  /// Removes everything from the manager's caches.
  ///
  /// The default is the layers of this machine; pictures in a shared store are then found there again. Pass `.all` to
  /// empty the shared store too, for all machines that use it.
  ///
  /// Running work cannot bring anything back: loads, refreshes and stores that began before this returns still deliver
  /// their pictures, but store nothing in these layers. Calling `clear` on a cache directly does not prevent such
  /// stores.
  ///
  /// Throws `cacheFailed` when a cache fails; the other caches are empty by then.
  ///
  /// ```swift
  /// try await manager.clearCache(.memory)
  /// ```
  public func clearCache(_ layers: CacheLayers = .local) async throws(ImageError) {
    try await Removal(manager: self).removeEverything(from: layers)
  }

  /// Removes the original of a request, and everything that was made from it.
  ///
  /// Running work cannot bring it back: loads, refreshes and stores of the picture that began before this returns still
  /// deliver, but store nothing in these layers. Calling `remove` on a cache directly does not prevent such stores, and
  /// removes only the entry under that one key.
  ///
  /// Throws `invalidURL` for a request without a URL, and `cacheFailed` when a cache fails.
  public func removeCachedImage(
    for request: ImageRequest, from layers: CacheLayers = .all
  ) async throws(ImageError) {
    try await Removal(manager: self).remove(try resolved(request), from: layers)
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

  /// Forgets that the URL of a request failed, so that it may be tried again.
  public func removeFailedURL(_ request: ImageRequest) {
    guard let resolved = request.resolved(with: configuration, by: identity) else { return }
    failedURLs.remove(resolved.originalKey)
  }

  /// Forgets all failed URLs, so that they may be tried again.
  public func removeAllFailedURLs() { failedURLs.removeAll() }
}
