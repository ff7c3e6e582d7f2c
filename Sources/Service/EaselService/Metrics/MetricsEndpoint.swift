import EaselCore
import EaselObserving
import EaselSupport
import EaselTiers
import FoundationEssentials

/// Answers requests for metrics, and requests to purge, on a port of its own, whatever the load.
package struct MetricsEndpoint: RequestHandler {
  private let metrics: ServiceMetrics
  private let refusals: @Sendable () -> Refusals
  /// Carries out a purge; nil to take none.
  private let purge: (@Sendable (PurgeCall) async -> PurgeReport)?
  /// The refusals that the metrics know already.
  private let known = Locked(Refusals())

  /// The requests that the listener has answered itself.
  package struct Refusals: Sendable {
    let counts: [Int: Int]
    let crowded: Int
    let open: Int

    /// Creates counts by status; `crowded` are those of addresses with too many connections, `open` are connections.
    package init(_ counts: [Int: Int] = [:], crowded: Int = 0, open: Int = 0) {
      (self.counts, self.crowded, self.open) = (counts, crowded, open)
    }
  }

  /// Answers with these metrics, and with the refusals that a listener counted; carries out purges with `purge`.
  package init(
    _ metrics: ServiceMetrics, refusals: @escaping @Sendable () -> Refusals = { Refusals() },
    purge: (@Sendable (PurgeCall) async -> PurgeReport)? = nil
  ) {
    self.metrics = metrics
    self.purge = purge
    self.refusals = refusals
  }

  package func immediateResponse(to request: ServiceRequest) -> ServiceResponse? {
    isPurge(request) ? nil : answer(request)
  }

  package func response(to request: ServiceRequest) async -> ServiceResponse {
    guard let purge, isPurge(request) else { return answer(request) }
    // A page of somebody else may let the browser of an operator send it.
    guard !["Origin", "Sec-Fetch-Site"].contains(where: { request.headers[$0] != nil }) else {
      return text(403, "Browsers cannot purge. Use easel purge, or another program.\n", request)
    }
    do throws(ServiceError) {
      let report = await purge(try PurgeCall(request.target[...]))
      return text(report.status, report.json, request, type: "application/json")
    } catch {
      return text(error.status, "\(error.message)\n", request)
    }
  }

  private func isPurge(_ request: ServiceRequest) -> Bool {
    purge != nil && request.method == "POST" && request.target.withoutQuery == PurgeCall.path
  }

  private func answer(_ request: ServiceRequest) -> ServiceResponse {
    guard ["GET", "HEAD"].contains(request.method) else {
      return text(405, "The metrics can only be read.\n", request, more: [("Allow", "GET, HEAD")])
    }
    let path = request.target.withoutQuery
    switch path {
    case "/metrics":
      countRefusals()
      let form = MetricsText.Form(accept: request.headers["Accept"])
      return text(200, metrics.text(as: form), request, type: form.contentType)
    case "/health": return text(200, "ok\n", request)
    case PurgeCall.path where purge != nil:
      return text(405, "A purge is a POST.\n", request, more: [("Allow", "POST")])
    default: return text(404, "There are only /metrics and /health here.\n", request)
    }
  }

  /// Brings the refusals of the listener up to date, which only counts them.
  private func countRefusals() {
    known.withLock { known in
      let now = refusals()
      for (status, count) in now.counts {
        metrics.countRefusals(
          count - known.counts[status, default: 0], status, crowded: status == 503 ? now.crowded - known.crowded : 0)
      }
      metrics.setConnections(now.open)
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
