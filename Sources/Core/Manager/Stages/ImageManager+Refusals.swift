/// What is not loaded, and what is remembered of failures.
extension ImageManager {
  func refuseWhatMustNotLoad(_ request: ResolvedRequest) throws(ImageError) {
    if request.options.contains(.fromCacheOnly) || request.asksForCachesOnly {
      throw ImageError(
        .notInCache, "The picture is not in the cache, and only the cache was to be asked.", subject: request.subject)
    }
    // The failure of another request that changed something says nothing of this one.
    if !request.options.contains(.retryFailed), request.isSafe, failedURLs.contains(request.originalKey) {
      throw ImageError(
        .blockedURL, "The URL failed before and is not tried again for a while. Pass retryFailed to try it now.",
        subject: request.subject)
    }
    if let shouldLoad = configuration.shouldLoad, !request.hasBytesAtHand, !shouldLoad(request.url) {
      throw ImageError(.blockedURL, "The manager was told not to load this URL.", subject: request.subject)
    }
  }

  /// Notes a URL that fails for good, unless something that only this caller said was the reason.
  func remember(_ failure: ImageError, _ request: ResolvedRequest) {
    guard request.usesOwnSettings, request.isSafe, ![.blockedURL, .notInCache, .cancelled].contains(failure.code) else {
      return
    }
    let blocks =
      configuration.shouldBlock?(request.url, failure)
      ?? request.loader.shouldBlock(request.url, after: failure) ?? failure.isForGood
    if blocks { failedURLs.insert(request.originalKey) }
  }

  /// Lets a URL be tried again.
  public func removeFailedURL(_ request: ImageRequest) {
    guard let resolved = request.resolved(with: configuration, by: identity) else { return }
    failedURLs.remove(resolved.originalKey)
  }

  /// Lets every URL be tried again.
  public func removeAllFailedURLs() { failedURLs.removeAll() }
}

extension ImageError {
  /// Whether the URL, its response or its bytes are to blame, so that asking again gives the same.
  fileprivate var isForGood: Bool {
    !isOfTheMoment && [.invalidURL, .unsupportedURL, .unsupportedFormat, .badImageData, .limitExceeded].contains(code)
  }
}
