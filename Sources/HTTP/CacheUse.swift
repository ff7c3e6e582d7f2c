import EaselCore
import FoundationEssentials

/// Decides whether a cached entry may be used for a request, and what the caches do with a new response.
package struct CacheUse: Sendable {
  private let policy: CachePolicy
  private let options: ImageOptions
  private let headers: HTTPHeaders
  /// The fields that are not part of the key.
  private let neutralHeaders: HTTPHeaders

  package init(_ policy: CachePolicy, options: ImageOptions, headers: HTTPHeaders, neutralHeaders: HTTPHeaders) {
    (self.policy, self.options, self.headers, self.neutralHeaders) = (policy, options, headers, neutralHeaders)
  }

  /// True when the entry may be used without asking the server.
  package func mayUseWithoutAsking(_ record: CacheRecord, by clock: any ImageClock) -> Bool {
    if options.contains(.refreshCached) { return options.contains(.fromCacheOnly) }
    return isFresh(record, by: clock)
  }

  /// True when a stale entry may be used while the server is being asked.
  package func mayServeWhileRevalidating(_ record: CacheRecord, by clock: any ImageClock) -> Bool {
    guard !options.contains(.refreshCached), !options.contains(.fromCacheOnly), let response = record.response else {
      return false
    }
    return rules(for: response).mayServeWhileRevalidating(at: clock.date)
  }

  /// True when an entry may be used although its refresh failed.
  package func mayUse(_ record: CacheRecord, despite failure: ImageError, by clock: any ImageClock) -> Bool {
    let saysNothing: [ImageError.Code] = [.blockedURL, .refusedURL, .overloaded]
    guard failure.isServerFailure || saysNothing.contains(failure.code) else { return false }
    if options.contains(.refreshCached) { return true }
    guard let response = record.response else { return false }
    return rules(for: response).mayServeOnError(at: clock.date)
  }

  /// True when the response may be used without asking the server, or when the policy ignores responses.
  package func isFresh(_ record: CacheRecord, by clock: any ImageClock) -> Bool {
    guard policy == .http, let response = record.response else { return true }
    let rules = rules(for: response)
    return rules.matches(varyingFields) && rules.isFresh(at: clock.date)
  }

  /// True when the stored response answers this request, fresh or not.
  package func matches(_ record: CacheRecord) -> Bool {
    guard policy == .http, let response = record.response else { return true }
    return rules(for: response).matches(varyingFields)
  }

  /// The way in which the caches treat a new response.
  package enum Decision: Sendable {
    /// The response replaces the stored entry.
    case keep
    /// The response is not stored, and the stored entry stays.
    case ignore
    /// The response is not stored, and the stored entry is removed because it is outdated.
    case forget
  }

  /// Decides what the caches do with a new response.
  package func decision(for record: CacheRecord) -> Decision {
    // A response to a range must not replace the whole picture, and the stored whole is still valid.
    if record.response?.status == 206 { return .ignore }
    guard policy == .http, let response = record.response else { return .keep }
    let rules = rules(for: response)
    guard rules.mayStore else { return .forget }
    return response.isUnwanted || rules.isUnwantedInCaches ? .ignore : .keep
  }

  /// The fields with which a response may vary under the same key.
  ///
  /// If cached pictures are used forever, only `Range` and the conditional fields matter.
  package var varyingFields: HTTPHeaders {
    if policy == .http || neutralHeaders.isEmpty { return neutralHeaders }
    return neutralHeaders.filtered { name in
      let name = HTTPHeaders.folded(name)
      return name == "range" || name.hasPrefix("if-")
    }
  }

  /// The rules of RFC 9111 for a stored response to this request.
  private func rules(for response: CacheRecord.Response) -> HTTPCacheRules {
    HTTPCacheRules(response, answering: headers, mayAddCookies: options.contains(.handleCookies))
  }

  /// True when the request's own header fields forbid asking the server.
  package var asksForCachesOnly: Bool {
    policy == .http && !neutralHeaders.isEmpty
      && CacheControl(neutralHeaders.values(of: "Cache-Control")).has("only-if-cached")
  }
}

extension ImageError {
  /// True when a later attempt may succeed: the network failed, or the server reported its own failure.
  fileprivate var isServerFailure: Bool {
    switch code {
    case .network, .timedOut, .truncatedBody: true
    case .badStatus: (500...599).contains(status ?? 0)
    default: false
    }
  }
}
