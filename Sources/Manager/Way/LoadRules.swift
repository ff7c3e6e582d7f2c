import EaselCore
import EaselHTTP

/// Refuses loads, and remembers failed URLs.
struct LoadRules: Sendable {
  let manager: ImageManager
  let request: ResolvedRequest

  /// Throws when the request must not reach its loader.
  func refuse() throws(ImageError) {
    if request.options.contains(.fromCacheOnly) || request.cacheUse.asksForCachesOnly {
      throw ImageError(
        .notInCache, "The picture is not in the cache, and fromCacheOnly forbids loading it.", subject: request.subject)
    }
    // An earlier failure says nothing about an unsafe request, so unsafe requests are not refused here.
    if !request.options.contains(.retryFailed), request.isSafe,
      let failure = manager.failedURLs.failure(
        of: request.originalKey, wantingParts: request.decodeOptions.damaged == .show)
    {
      throw ImageError(
        .blockedURL, "The URL failed before and is not tried again for a while. Pass retryFailed to try it now.",
        subject: request.subject, cause: failure)
    }
    if let shouldLoad = manager.configuration.shouldLoad, request.bytesAtHand == nil, !shouldLoad(request.url) {
      throw ImageError(.refusedURL, "The manager's shouldLoad refused this URL.", subject: request.subject)
    }
  }

  /// Remembers a URL that failed permanently, unless settings of this one caller may have caused the failure.
  @inline(never)
  func remember(_ error: any Error) -> ImageError {
    let failure = ImageError.wrapping(error, as: .network, "The load failed.", subject: request.subject)
    let saysNothing: [ImageError.Code] = [.blockedURL, .refusedURL, .overloaded, .notInCache, .cancelled]
    guard request.bytesAtHand == nil, request.usesOnlyManagerSettings, request.isSafe,
      !saysNothing.contains(failure.code)
    else { return failure }
    let blocks =
      manager.configuration.shouldBlock?(request.url, failure)
      ?? request.loader.shouldBlock(request.url, after: failure) ?? failure.isForGood
    if blocks {
      manager.failedURLs.insert(
        request.originalKey, failure, wantedParts: request.decodeOptions.damaged == .show)
    }
    return failure
  }
}

extension Run {
  var rules: LoadRules { LoadRules(manager: manager, request: request) }
}

extension ImageError {
  /// True when the URL, its response or its bytes caused the failure, so that another attempt would fail in the same
  /// way.
  fileprivate var isForGood: Bool {
    !isTemporary
      && [.invalidURL, .unsupportedURL, .unsupportedFormat, .badImageData, .limitExceeded, .decoderCrashed]
        .contains(code)
  }
}
