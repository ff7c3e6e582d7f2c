import EaselCore
import EaselHTTP
import EaselSupport

/// Remembers for a limited time which URLs failed permanently.
final class FailedURLs: Sendable {
  private let lifetime: Duration
  private let clock: any ImageClock
  private let entries: Locked<ExpiringTable<CacheKey, Entry>>

  private struct Entry {
    let failure: ImageError
    /// True if the failed load accepted incomplete pictures.
    let wantedParts: Bool
  }

  init(lifetime: Duration, capacity: Int, clock: any ImageClock) {
    self.lifetime = lifetime.bounded
    self.clock = clock
    entries = Locked(ExpiringTable(capacity: capacity))
  }

  /// The failure that keeps a URL from being tried again; nil if the URL may be tried.
  ///
  /// A load that accepts incomplete pictures may succeed with one that another load refused as damaged.
  func failure(of key: CacheKey, wantingParts wantsParts: Bool = false) -> ImageError? {
    let now = clock.uptime
    guard let entry = entries.withLock({ $0.value(of: key, at: now) }) else { return nil }
    return wantsParts && !entry.wantedParts && entry.failure.code == .badImageData ? nil : entry.failure
  }

  func insert(_ key: CacheKey, _ failure: ImageError, wantedParts: Bool = false) {
    let now = clock.uptime
    let entry = Entry(failure: failure, wantedParts: wantedParts)
    entries.withLock { $0.insert(entry, for: key, until: now + lifetime, at: now) }
  }

  func remove(_ key: CacheKey) { entries.withLock { $0.remove(key) } }

  func removeAll() { entries.withLock { $0.removeAll() } }
}

/// Refuses loads, and remembers failed URLs.
struct LoadRules: Sendable {
  let manager: ImageManager
  let request: ResolvedRequest

  private var wantsParts: Bool { request.decodeOptions.damaged == .show }

  /// Throws when the request must not reach its loader.
  func refuse() throws(ImageError) {
    if request.options.contains(.fromCacheOnly) || request.cacheUse.asksForCachesOnly {
      throw ImageError(
        .notInCache, "The picture is not in the cache, and fromCacheOnly forbids loading it.", subject: request.subject)
    }
    // An earlier failure says nothing about an unsafe request, so unsafe requests are not refused here.
    if !request.options.contains(.retryFailed), request.isSafe,
      let failure = manager.failedURLs.failure(of: request.originalKey, wantingParts: wantsParts)
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
    if blocks { manager.failedURLs.insert(request.originalKey, failure, wantedParts: wantsParts) }
    return failure
  }
}

extension ImageError {
  /// True when the URL, its response or its bytes caused the failure, so that another attempt would fail too.
  fileprivate var isForGood: Bool {
    !isTemporary
      && [.invalidURL, .unsupportedURL, .unsupportedFormat, .badImageData, .limitExceeded, .decoderCrashed]
        .contains(code)
  }
}
