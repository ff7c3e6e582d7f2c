import EaselCore
import EaselObserving

extension ServiceExchange {
  /// Begins the span of the request; nil if nothing of it is recorded.
  func span() -> OTLPTraces.RequestSpan? {
    settings.values.traces?.beginRequest(request.headers["traceparent"])
  }

  /// Ends the span of the request with what is known of its answer, which has no secrets.
  func end(_ span: OTLPTraces.RequestSpan, _ response: ServiceResponse) {
    let details = response.details
    var fields: [(name: String, value: String)] = [
      ("http.request.method", request.method), ("http.response.status_code", "\(response.status)"),
      ("http.route", details.route.text), ("easel.request.id", id),
    ]
    if let cache = details.cache { fields.append(("easel.cache", cache.rawValue)) }
    if let host = details.source.flatMap({ LoggedURL($0) })?.host { fields.append(("easel.source.host", host)) }
    if let format = details.format { fields.append(("easel.format", format.mimeType)) }
    span.end(
      "\(request.method) \(details.route.text)", fields,
      failure: response.status >= 500 ? details.error?.name ?? "status \(response.status)" : nil)
  }
}
