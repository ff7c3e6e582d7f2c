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
        status: status, headers: head.headers.endToEnd, requested: requested, received: received,
        varyingFields: HTTPCacheRules.varyingFields(in: head.headers, of: varyingFields(of: resolved)))
      if !head.redirects.isEmpty { response.redirectedURL = head.url }
      response.redirectsExpire = HTTPCacheRules.end(of: head.redirects, requested: requested, received: received)
      return response
    }
    return CacheRecord(
      stored: received, generation: generation, mimeType: head.mimeType, response: response,
      extendedData: resolved.context[.extendedData])
  }

  /// The fields that the response may vary with, as they were sent where that cannot be told beforehand.
  ///
  /// A modifier with an identity names what it sends, and the key tells it from others. One without may send something
  /// else the next time: its fields are unlike those of every later request, so that the response answers none.
  private func varyingFields(of resolved: ResolvedRequest) -> HTTPHeaders {
    var fields = resolved.neutralHeaders
    // Nobody knows what the loader will add the next time, and what it did add may be secret.
    for field in head.sentFields.fields { fields[field.name] = "" }
    guard let modifier = resolved.requestModifier, modifier.cacheIdentity == nil else { return fields }
    let known = resolved.headers
    for name in (request.headers.fields + known.fields).map(\.name) where request.headers[name] != known[name] {
      fields[name] = request.headers[name] ?? ""
    }
    return fields
  }
}
