import EaselCore
import EaselSupport
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselObserving
@testable import EaselService

struct ServiceMetricsTests {
  private struct FixedProcess: ProcessFigures {
    var residentBytes: Int? = 1000
    var processorSeconds: Double? = 1.5
    var childSeconds: Double? = 2.5
    var openDescriptors: Int? = 7
    var mostDescriptors: Int?
    var startSeconds: Double? = 1e9
  }

  private let metrics = ServiceMetrics(version: "1.2", formats: .tested, process: FixedProcess())

  private func read() throws -> MetricsChecker { try MetricsChecker(metrics.text()) }

  /// Dashboards depend on these names; a change breaks them.
  @Test func theNamesAreStable() throws {
    metrics.countRequest(200, .picture, took: .zero)
    let expected: [(name: String, type: String, labels: Set<String>)] = [
      ("easel_requests_total", "counter", ["status", "route"]), ("easel_request_seconds", "histogram", ["stage"]),
      ("easel_in_flight", "gauge", ["stage"]), ("easel_connections", "gauge", []),
      ("easel_cache_total", "counter", ["layer", "result"]),
      ("easel_shared_breaker_open", "gauge", []),
      ("easel_flight_total", "counter", ["role", "outcome"]), ("easel_claims_total", "counter", ["kind", "result"]),
      ("easel_source_bytes_total", "counter", []),
      ("easel_result_bytes_total", "counter", ["format"]), ("easel_errors_total", "counter", ["code"]),
      ("easel_decoder_crashes_total", "counter", ["format"]), ("easel_rejected_total", "counter", ["reason"]),
      ("easel_memory_bytes", "gauge", ["part"]), ("easel_memory_limit_bytes", "gauge", []),
      ("easel_memory_pressure", "gauge", []), ("easel_cgroup_memory_bytes", "gauge", []),
      ("easel_cgroup_memory_limit_bytes", "gauge", []),
      ("easel_cache_bytes", "gauge", ["layer"]), ("easel_cache_entries", "gauge", ["layer"]),
      ("easel_memory_evictions_total", "counter", []),
      ("easel_queue_cost_pixels", "gauge", []), ("easel_queue_waiting", "gauge", ["lane"]),
      ("easel_queue_running", "gauge", ["lane"]), ("easel_purges_total", "counter", []),
      ("easel_purge_entries", "gauge", []), ("easel_purge_removed_entries_total", "counter", []),
      ("easel_purge_removed_bytes_total", "counter", []), ("easel_purge_cut_off_seconds", "gauge", []),
      ("easel_build_info", "gauge", ["version"]),
      ("process_resident_memory_bytes", "gauge", []), ("process_cpu_seconds_total", "counter", []),
      ("easel_sandbox_cpu_seconds_total", "counter", []),
      ("process_open_fds", "gauge", []), ("process_max_fds", "gauge", []), ("process_start_time_seconds", "gauge", []),
    ]
    let read = try read()
    #expect(read.families.map(\.name) == expected.map(\.name))
    for (name, type, labels) in expected {
      let family = try #require(read.family(name))
      #expect(family.type == type && family.help.hasSuffix("."), "\(name)")
      for sample in family.samples { #expect(Set(sample.labels.keys).subtracting(["le"]) == labels, "\(name)") }
    }
  }

  @Test func theTextIsRightInBothForms() throws {
    metrics.countRequest(200, .picture, took: .milliseconds(3))
    _ = try MetricsChecker(metrics.text())
    let open = try MetricsChecker(metrics.text(as: .openMetrics), isOpenMetrics: true)
    #expect(open.value("easel_requests_total", ["status": "200", "route": "picture"]) == 1)
    #expect(open.value("easel_build_info", ["version": "1.2"]) == 1)
    #expect(open.family("easel_build")?.type == "info")
  }

  @Test func requestsAreCountedByStatusAndRoute() throws {
    metrics.countRequest(200, .picture, took: .milliseconds(3))
    metrics.countRequest(200, .picture, took: .milliseconds(30))
    metrics.countRequest(304, .info, took: .zero)
    for status in [0, -1, 299, 999, Int.max] { metrics.countRequest(status, .other, took: .zero) }
    let read = try read()
    #expect(read.value("easel_requests_total", ["status": "200", "route": "picture"]) == 2)
    #expect(read.value("easel_requests_total", ["status": "304", "route": "info"]) == 1)
    #expect(read.value("easel_requests_total", ["status": "other", "route": "other"]) == 5)
    #expect(read.value("easel_request_seconds_count", ["stage": "total"]) == 8)
    #expect(read.value("easel_request_seconds_bucket", ["stage": "total", "le": "0.005"]) == 7)
  }

  @Test func everyStatusOfTheServiceHasALabel() {
    for status in [200, 304, 400, 403, 404, 405, 410, 413, 414, 415, 422, 429, 431, 499, 502, 503, 504, 508] {
      #expect(StatusLabel(status).text == "\(status)")
      #expect(StatusLabel.allCases.contains(StatusLabel(status)))
    }
    #expect(Set(StatusLabel.allCases.map(\.text)).count == StatusLabel.allCases.count)
  }

  @Test func everyMethodChangesItsNumber() throws {
    metrics.record(.milliseconds(1), in: .queue)
    metrics.enter(.work)
    metrics.enter(.work)
    metrics.leave(.work)
    metrics.countRejection(.connectionsPerAddress)
    metrics.countRejection(RejectionReason(.queueFull))
    metrics.countRejection(RejectionReason(.tooLate))
    metrics.countResult(.webp, byteCount: 500)
    metrics.countResult(ImageFormat(mimeType: "image/x-plugin"), byteCount: 3)
    metrics.countResult(nil, byteCount: -9)
    metrics.countLookup(.shared, .error)
    metrics.countFlight(.remote, .success)
    metrics.countSource(byteCount: 77)
    metrics.countError(.badImageData)
    metrics.countCrash(DecoderCrash(of: "png"))
    let read = try read()
    #expect(read.value("easel_request_seconds_count", ["stage": "queue"]) == 1)
    #expect(read.value("easel_in_flight", ["stage": "work"]) == 1)
    for reason in ["connections_per_address", "queue_full", "too_late"] {
      #expect(read.value("easel_rejected_total", ["reason": reason]) == 1)
    }
    #expect(read.value("easel_result_bytes_total", ["format": "webp"]) == 500)
    #expect(read.value("easel_result_bytes_total", ["format": "other"]) == 3)
    #expect(read.value("easel_cache_total", ["layer": "shared", "result": "error"]) == 1)
    #expect(read.value("easel_flight_total", ["role": "remote", "outcome": "success"]) == 1)
    #expect(read.value("easel_source_bytes_total") == 77)
    #expect(read.value("easel_errors_total", ["code": "badImageData"]) == 1)
    #expect(read.value("easel_decoder_crashes_total", ["format": "png"]) == 1)
  }

  @Test func everyErrorCodeIsALabel() throws {
    let codes = try #require(read().family("easel_errors_total")).samples.compactMap { $0.labels["code"] }
    #expect(Set(codes) == Set(ImageError.Code.allCases.map(\.name)))
  }

  @Test func theQueueIsReadWhenSomebodyAsks() async throws {
    var settings = AdmissionSettings(processors: 1)
    settings.paces = 1...1
    let admission = Admission(settings, clock: ManualClock())
    let metrics = ServiceMetrics(version: "1", process: FixedProcess()) { admission.snapshot }
    #expect(try MetricsChecker(metrics.text()).value("easel_queue_cost_pixels") == 0)
    let cost = WorkCost(nanoseconds: 240_000_000)
    let pass = try await admission.enter(cost)
    let waiter: Task<AdmissionPass, any Error> = .started { try await admission.enter(cost) }
    #expect(try MetricsChecker(metrics.text()).value("easel_queue_cost_pixels") == Double(cost.pixels))
    pass.leave()
    try await waiter.value.leave()
  }

  @Test func figuresOfTheProcessAreShown() throws {
    let read = try read()
    #expect(read.value("process_resident_memory_bytes") == 1000 && read.value("process_cpu_seconds_total") == 1.5)
    #expect(read.value("process_open_fds") == 7 && read.value("process_max_fds") == nil)
  }

  @Test func thisProcessHasFigures() throws {
    let process = SystemProcess()
    #expect(try #require(process.residentBytes) > 1_000_000)
    #expect(try #require(process.processorSeconds) > 0)
    #expect(try #require(process.openDescriptors) > 0)
    let start = try #require(process.startSeconds)
    let now = Date().timeIntervalSince1970
    #expect(start > now - 86_400 && start < now + 60)
  }

  // MARK: The endpoint

  private func answer(_ method: String, _ target: String, accept: String? = nil) throws -> (ServiceResponse, String) {
    var headers = HTTPHeaders()
    headers["Accept"] = accept
    let response = try #require(
      MetricsEndpoint(metrics).immediateResponse(
        to: ServiceRequest(method: method, target: target, headers: headers)))
    let text = try response.body.map { try $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }.joined()
    if method != "HEAD" { #expect(response.headers["Content-Length"] == String(text.utf8.count)) }
    return (response, text)
  }

  @Test func theEndpointAnswers() throws {
    let (plain, text) = try answer("GET", "/metrics?x=1")
    #expect(plain.status == 200 && plain.headers["Content-Type"] == MetricsText.Form.prometheus.contentType)
    _ = try MetricsChecker(text)
    let (open, openText) = try answer("GET", "/metrics", accept: "application/openmetrics-text; version=1.0.0")
    #expect(open.headers["Content-Type"] == MetricsText.Form.openMetrics.contentType)
    _ = try MetricsChecker(openText, isOpenMetrics: true)
    let (head, nothing) = try answer("HEAD", "/metrics")
    #expect(head.status == 200 && nothing.isEmpty && head.headers["Content-Length"] != "0")
    #expect(try answer("GET", "/health").1 == "ok\n")
    #expect(try answer("GET", "/metricsx").0.status == 404)
    #expect(try answer("GET", "/").0.status == 404)
    let (post, _) = try answer("POST", "/metrics")
    #expect(post.status == 405 && post.headers["Allow"] == "GET, HEAD")
  }

  @Test func refusalsOfTheListenerAreCountedOnce() {
    let refused = Locked([400: 2, 503: 3])
    let metrics = ServiceMetrics(version: "1")
    let endpoint = MetricsEndpoint(metrics) { .init(refused.withLock { $0 }, crowded: 1) }
    func text() -> String {
      let answer = endpoint.immediateResponse(to: ServiceRequest(target: "/metrics"))
      return answer?.body.map { String(decoding: (try? $0.data()) ?? Data(), as: UTF8.self) }.joined() ?? ""
    }
    for _ in 0..<2 {
      let text = text()
      #expect(text.contains("easel_requests_total{status=\"400\",route=\"other\"} 2"))
      #expect(text.contains("easel_rejected_total{reason=\"connections\"} 2"))
      #expect(text.contains("easel_rejected_total{reason=\"connections_per_address\"} 1"))
    }
    refused.withLock { $0[400] = 5 }
    #expect(text().contains("easel_requests_total{status=\"400\",route=\"other\"} 5"))
  }
}
