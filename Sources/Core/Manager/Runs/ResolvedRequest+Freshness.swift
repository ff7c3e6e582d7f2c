/// Whether a cached entry may be used for a request, and what becomes of an answer in the caches.
extension ResolvedRequest {
  /// True when the entry is used without asking the server.
  func mayUseUnasked(_ record: CacheRecord, by clock: any ImageClock) -> Bool {
    if options.contains(.refreshCached) { return options.contains(.fromCacheOnly) }
    return isFresh(record, by: clock)
  }

  /// True when a stale entry is used while the server is asked about it.
  func mayServeWhileRevalidating(_ record: CacheRecord, by clock: any ImageClock) -> Bool {
    guard !options.contains(.refreshCached), !options.contains(.fromCacheOnly), let response = record.response else {
      return false
    }
    return rules(for: response).mayServeWhileRevalidating(at: clock.date)
  }

  /// True when an entry that could not be refreshed is used all the same.
  func mayUse(_ record: CacheRecord, despite failure: ImageError, by clock: any ImageClock) -> Bool {
    guard failure.isTheServersTrouble || [.blockedURL, .refusedURL].contains(failure.code) else { return false }
    if options.contains(.refreshCached) { return true }
    guard let response = record.response else { return false }
    return rules(for: response).mayServeOnError(at: clock.date)
  }

  func isFresh(_ record: CacheRecord, by clock: any ImageClock) -> Bool {
    guard cachePolicy == .http, let response = record.response else { return true }
    let rules = rules(for: response)
    return rules.matches(varyingFields) && rules.isFresh(at: clock.date)
  }

  /// True when the stored response answers this request at all.
  func matches(_ record: CacheRecord) -> Bool {
    guard cachePolicy == .http, let response = record.response else { return true }
    return rules(for: response).matches(varyingFields)
  }

  /// True unless a moving picture was required and this one does not move.
  func accepts(_ image: Image) -> Bool { image.isAnimated || !options.contains(.requireAnimated) }

  /// The fate of an answer in the caches.
  enum CacheDecision: Sendable {
    /// The answer takes the place of the entry that is there.
    case keep
    /// The answer is not kept, and the entry that is there stays.
    case ignore
    /// The answer is not kept, and the entry that is there is no longer right.
    case forget
  }

  func cacheDecision(for record: CacheRecord) -> CacheDecision {
    // A part must not stand for the whole, and the whole is none the worse for it.
    if record.response?.status == 206 { return .ignore }
    guard cachePolicy == .http, let response = record.response else { return .keep }
    let rules = rules(for: response)
    guard rules.mayStore else { return .forget }
    return rules.isUnwantedInCaches ? .ignore : .keep
  }
}

extension ImageError {
  /// True when asking later may help: the network failed, or the server said that it did.
  var isTheServersTrouble: Bool {
    switch code {
    case .network, .timedOut, .truncatedBody: true
    case .badStatus: (500...599).contains(status ?? 0)
    default: false
    }
  }
}
