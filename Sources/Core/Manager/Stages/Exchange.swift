import FoundationEssentials

/// One request and what came back.
struct Exchange: Sendable {
  let request: LoadRequest
  let head: ResponseHead
  let metrics: TransferMetrics?
  let requested: Date
  let turn: StoreTurn

  func record(for resolved: ResolvedRequest, generation: UInt64, received: Date) -> CacheRecord {
    let response = head.status.map { status in
      var response = ResponseRecord(
        status: status, headers: head.headers, requested: requested, received: received,
        varyingFields: HTTPCacheRules.varyingFields(of: head, in: resolved.headers))
      if !head.redirects.isEmpty { response.redirectedURL = head.url }
      response.redirectsExpire = HTTPCacheRules.end(of: head.redirects, requested: requested, received: received)
      return response
    }
    return CacheRecord(
      stored: received, generation: generation, mimeType: head.mimeType, response: response,
      extendedData: resolved.context[.extendedData])
  }
}
