import EaselCore
import FoundationEssentials

/// Removing cached pictures so that they stay removed, and failed URLs.
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
    try await Removal(manager: self).removeEverything(from: layers)
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

  /// Allows the URL of a request to be tried again.
  public func removeFailedURL(_ request: ImageRequest) {
    guard let resolved = request.resolved(with: configuration, by: identity) else { return }
    failedURLs.remove(resolved.originalKey)
  }

  /// Allows every failed URL to be tried again.
  public func removeAllFailedURLs() { failedURLs.removeAll() }
}
