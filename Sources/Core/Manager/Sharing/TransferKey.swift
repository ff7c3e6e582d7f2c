import FoundationEssentials

/// What makes two transfers the same.
struct TransferKey: Hashable, Sendable {
  let original: CacheKey
  let cachePolicy: CachePolicy
  /// The fields that make it a revalidation.
  let conditions: HTTPHeaders
  /// Whose answer they are about, where redirects led to it.
  let validatedURL: URL?
  /// The fields of the request, where what is answered may vary with them.
  let varyingFields: HTTPHeaders
  /// Who decides on retries, since one caller's patience is not another's.
  let retryPolicy: PluginInstance?
  /// A number of its own for a request that changes something, which shares with no other.
  let alone: UInt64?

  init(_ request: ResolvedRequest, revalidating record: CacheRecord? = nil) {
    original = request.originalKey
    cachePolicy = request.cachePolicy
    varyingFields = request.varyingFields
    conditions = record?.response.map { HTTPCacheRules($0).conditions } ?? [:]
    validatedURL = conditions.isEmpty ? nil : record?.response?.redirectedURL
    retryPolicy = request.retryInstance
    alone = request.isSafe ? nil : RunNumber.next()
  }

  var isRevalidation: Bool { !conditions.isEmpty }
}
