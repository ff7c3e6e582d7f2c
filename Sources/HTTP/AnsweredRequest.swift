import EaselCore
import FoundationEssentials

/// A request as it was sent, with the head of its response.
package struct AnsweredRequest: Sendable {
  package let request: LoadRequest
  package let head: ResponseHead
  /// The time at which the request was sent.
  package let requested: Date

  package init(request: LoadRequest, head: ResponseHead, requested: Date) {
    (self.request, self.head, self.requested) = (request, head, requested)
  }

  /// Makes the record of the response; returns nil when no server answered.
  ///
  /// `fields` come from ``varyingFields(neutral:known:isNamed:)``.
  package func response(varyingWith fields: HTTPHeaders, received: Date) -> CacheRecord.Response? {
    head.status.map { status in
      var response = CacheRecord.Response(
        status: status, headers: head.headers.endToEnd, requested: requested, received: received,
        varyingFields: HTTPCacheRules.varyingFields(in: head.headers, of: fields))
      if !head.redirects.isEmpty { response.redirectedURL = head.url }
      response.redirectsExpire = HTTPCacheRules.end(of: head.redirects, requested: requested, received: received)
      if request.isAuthorized || !fieldsSentOnce.isEmpty { response.noteAuthorization() }
      return response
    }
  }

  /// The request fields, as they were sent, with which the response may vary.
  ///
  /// `neutral` are the fields that are not part of the key; `known` are all fields before the modifier. If the modifier
  /// has a name, the name is part of the key and stands for its fields. Otherwise the modifier may send other fields
  /// the next time. Its fields are then recorded so that no later request matches them, and the response is never used
  /// again.
  package func varyingFields(neutral: HTTPHeaders, known: HTTPHeaders, isNamed: Bool) -> HTTPHeaders {
    var fields = neutral
    // The next request may get other fields from the loader. Those of this request may be secret, so their values are
    // not kept.
    for field in fieldsSentOnce.fields { fields[field.name] = "" }
    guard !isNamed else { return fields }
    for name in (request.headers.fields + known.fields).map(\.name) where request.headers[name] != known[name] {
      fields[name] = request.headers[name] ?? ""
    }
    return fields
  }

  /// True when the request that was sent forbids storing the response.
  ///
  /// A modifier or the loader may have added the directive.
  package var forbidsStoring: Bool {
    let name = "Cache-Control"
    return CacheControl(request.headers.values(of: name) + head.sentFields.values(of: name)).has("no-store")
  }

  /// The fields that the loader added to this one request only.
  private var fieldsSentOnce: HTTPHeaders { head.sentFields.filtered { !HTTPHeaders.isSame($0, "Cache-Control") } }
}

extension LoadRequest {
  /// True when the request has credentials or cookies, which a modifier may have added.
  fileprivate var isAuthorized: Bool { headers.fields.contains { CredentialFields.contains($0.name) } }
}
