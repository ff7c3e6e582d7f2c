import EaselCore
import EaselObserving
import FoundationEssentials

/// Answers requests for metrics on a port of its own, whatever the load.
package struct MetricsEndpoint: RequestHandler {
  private let metrics: ServiceMetrics
  private let refusals: @Sendable () -> [Int: Int]
  /// The refusals that the metrics know already.
  private let known = Locked<[Int: Int]>([:])

  /// Creates an endpoint; `refusals` are the requests that the listener has answered itself, by status.
  package init(_ metrics: ServiceMetrics, refusals: @escaping @Sendable () -> [Int: Int] = { [:] }) {
    self.metrics = metrics
    self.refusals = refusals
  }

  package func immediateResponse(to request: ServiceRequest) -> ServiceResponse? { answer(request) }

  package func response(to request: ServiceRequest) async -> ServiceResponse { answer(request) }

  private func answer(_ request: ServiceRequest) -> ServiceResponse {
    guard ["GET", "HEAD"].contains(request.method) else {
      return text(405, "The metrics can only be read.\n", request, more: [("Allow", "GET, HEAD")])
    }
    let path = request.target.prefix { $0 != "?" }
    switch path {
    case "/metrics":
      countRefusals()
      let form = MetricsText.Form(accept: request.headers["Accept"])
      return text(200, metrics.text(as: form), request, type: form.contentType)
    case "/health": return text(200, "ok\n", request)
    default: return text(404, "There are only /metrics and /health here.\n", request)
    }
  }

  /// Brings the refusals of the listener up to date, which only counts them.
  private func countRefusals() {
    known.withLock { known in
      let now = refusals()
      for (status, count) in now { metrics.countRefusals(count - known[status, default: 0], status) }
      known = now
    }
  }

  private func text(
    _ status: Int, _ text: String, _ request: ServiceRequest, type: String = "text/plain; charset=utf-8",
    more: [(String, String)] = []
  ) -> ServiceResponse {
    let bytes = ImageBytes(Data(text.utf8))
    let headers = HTTPHeaders(
      [
        ("Content-Type", type), ("Content-Length", String(bytes.count)), ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
      ] + more)
    return ServiceResponse(status: status, headers: headers, body: request.method == "HEAD" ? [] : [bytes])
  }
}
