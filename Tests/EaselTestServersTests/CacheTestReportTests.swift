import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import EaselTiers
import FoundationEssentials
import Testing

/// The figures of a report state exactly the tests that were run.
@Suite(.tags(.alone))
struct CacheTestReportTests {
  private func tests(_ json: String) throws -> [CacheTestCase] { try CacheTestCase.all(in: Data(json.utf8)) }

  private func report(
    _ json: String, _ verdicts: [String: CacheTestRun.Verdict]
  ) throws -> (report: CacheTestReport, outcomes: [String: CacheTestReport.Outcome]) {
    let report = CacheTestReport(try tests(json), verdicts: verdicts)
    return (report, Dictionary(uniqueKeysWithValues: report.rows.map { ($0.test.id, $0.outcome) }))
  }

  private static let kinds = #"""
    [{"name": "", "id": "must", "kind": "required", "requests": [{}]}, {"name": "", "id": "plain", "requests": [{}]},
     {"name": "", "id": "best", "kind": "optimal", "requests": [{}]},
     {"name": "", "id": "ask", "kind": "check", "requests": [{}], "depends_on": ["must"]},
     {"name": "", "id": "far", "depends_on": ["ask"], "requests": [{}]},
     {"name": "", "id": "lost", "depends_on": ["nowhere"], "requests": [{}]}]
    """#

  @Test func theKindSaysWhatAVerdictMeans() throws {
    let ids = ["must", "plain", "best", "ask", "far", "lost"]
    let good = try report(Self.kinds, Dictionary(uniqueKeysWithValues: ids.map { ($0, .passed) }))
    #expect(
      good.outcomes == [
        "must": .passed, "plain": .passed, "best": .passed, "ask": .yes, "far": .passed, "lost": .notReached,
      ])
    #expect(good.report.isGood)
    #expect(good.report.summary == ["required: 1 not reached, 3 passed", "optimal: 1 passed", "check: 1 yes"])

    var verdicts: [String: CacheTestRun.Verdict] = ["must": .passed, "best": .failed([]), "ask": .failed([])]
    let lax = try report(Self.kinds, verdicts)
    #expect(lax.outcomes == ["must": .passed, "best": .notOptimal, "ask": .no])
    #expect(lax.report.isGood && lax.report.leftOut.map(\.count) == [3])
    verdicts["plain"] = .failed(["why"])
    let bad = try report(Self.kinds, verdicts)
    #expect(bad.outcomes["plain"] == .failed && !bad.report.isGood)
    #expect(bad.report.rows.first { $0.test.id == "plain" }?.details == ["why"])
  }

  @Test func whatNeedsATestThatDidNotPassIsNotReached() throws {
    for verdict in [CacheTestRun.Verdict.failed([]), .notReached([])] {
      let outcomes = try report(Self.kinds, ["must": verdict, "ask": .passed, "far": .passed]).outcomes
      #expect(outcomes["ask"] == .notReached && outcomes["far"] == .notReached)
    }
    let circle = #"[{"name": "", "id": "a", "depends_on": ["a"], "requests": [{}]}]"#
    let (report, outcomes) = try report(circle, ["a": .passed])
    #expect(outcomes == ["a": .notReached] && !report.isGood)
  }

  @Test(arguments: [
    (#""browser_skip": true, "requests": [{}]"#, "for shared caches"),
    (#""cdn_only": true, "requests": [{}]"#, "for shared caches"),
    (#""browser_only": true, "requests": [{}]"#, nil), (#""browser_skip": false, "requests": [{}]"#, nil),
    (#""requests": [{}, {"expected_interim_responses": [[103]]}]"#, "about interim responses"),
    (#""requests": [{"cache": "no-cache"}]"#, "for the fetch call of browsers"),
    (#""requests": [{"mode": "no-cors"}]"#, "for the fetch call of browsers"),
    (#""requests": [{"credentials": "omit"}]"#, "for the fetch call of browsers"),
    (#""requests": [{"redirect": "manual", "cache": "default"}]"#, nil),
  ])
  func whatSaysNothingOfTheCacheOfOneProgramIsLeftOut(_ members: String, _ reason: String?) throws {
    let test = try #require(try tests(#"[{"name": "", "id": "a", \#(members)}]"#).first)
    #expect(test.reasonToLeaveOut == reason)
    let report = CacheTestReport([test], verdicts: ["a": .passed])
    #expect(report.rows.isEmpty == (reason != nil) && report.isGood == (reason == nil))
  }

  @Test(arguments: [
    #"{"name": "", "id": "a", "requests": [{}], "kind": "vital"}"#,
    #"{"name": "", "id": "a", "requests": [{}], "expected_mood": "good"}"#,
    #"{"name": "", "id": "a", "requests": [{"expected_mood": "good"}]}"#,
    #"{"name": "", "id": "a", "requests": [{"expected_type": "eaten"}]}"#,
  ])
  func whatNobodyKnowsIsNotPassedOver(_ test: String) {
    #expect(throws: DecodingError.self) { try tests("[\(test)]") }
    let suite = #"[{"name": "", "id": "s", "tests": [\#(test)]}]"#
    #expect(throws: DecodingError.self) { try tests(suite) }
  }

  /// Tests that a correct cache must fail, each for one reason.
  private static let wrong: [(requests: String, reason: String)] = [
    (#"[{"response_headers": [["Cache-Control", "no-store"]]}, {"expected_type": "cached"}]"#, "the server was asked"),
    (
      #"[{"response_headers": [["Cache-Control", "max-age=9"]]}, {"expected_type": "not_cached"}]"#,
      "the server was not asked"
    ),
    (#"[{"response_headers": [["ETag", "\"a\""]]}, {"expected_type": "lm_validated"}]"#, "If-Modified-Since"),
    (#"[{}, {"expected_type": "etag_validated"}]"#, "the request had no condition"),
    (#"[{"expected_status": 404}]"#, "the status is 200, not 404"),
    (
      #"""
      [{"response_headers": [["Cache-Control", "max-age=9"]], "response_status": [404, "No"]},
       {"expected_status": 200}]
      """#,
      "the status is 404, not 200"
    ),
    (#"[{"response_body": "a", "expected_response_text": "b"}]"#, "the body is \"a\", not \"b\""),
    (
      #"""
      [{"response_headers": [["Cache-Control", "max-age=9"]], "response_body": "a"},
       {"expected_response_text": "b"}]
      """#,
      "the body is \"a\", not \"b\""
    ),
    (#"[{"response_headers": [["X-A", "1"]], "expected_response_headers": [["X-A", "2"]]}]"#, "X-A came as 1"),
    (#"[{"expected_response_headers": ["X-A"]}]"#, "X-A came as nothing"),
    (#"[{"response_headers": [["X-A", "1"]], "expected_response_headers": [["X-A", ">", 1]]}]"#, "X-A came as 1"),
    (
      #"[{"response_headers": [["X-A", "1"], ["X-B", "2"]], "expected_response_headers": [["X-A", "=", "X-B"]]}]"#,
      "X-A came as 1"
    ),
    (#"[{"response_headers": [["X-A", "1"]], "expected_response_headers_missing": ["X-A"]}]"#, "X-A came as 1"),
    (
      #"""
      [{"response_headers": [["Cache-Control", "max-age=9"], ["X-A", "1"]]},
       {"expected_type": "cached", "expected_response_headers_missing": ["X-A"]}]
      """#, "X-A came as 1"
    ),
    (#"[{"expected_request_headers": ["X-A"]}]"#, "X-A was sent as nothing"),
    (#"[{"request_headers": [["X-A", "1"]], "expected_request_headers": [["X-A", "2"]]}]"#, "X-A was sent as 1"),
    (#"[{"request_headers": [["X-A", "1"]], "expected_request_headers_missing": ["X-A"]}]"#, "X-A was sent as 1"),
    (#"[{"expected_method": "PUT"}]"#, "the method was GET, not PUT"),
    (#"[{"disconnect": true, "expected_type": "cached"}]"#, "there was no answer"),
  ]

  private func verdict(on requests: String, by fetch: Fetch? = nil) async throws -> CacheTestRun.Verdict {
    let clock = ManualClock()
    let server = try CacheTestServer(now: { clock.date })
    defer { server.close() }
    let cache = TieredCache(memory: RecordingMemoryStore(), disk: RecordingDiskStore())
    let manager = CacheTestManager(loader: PlainLoader(), cache: cache, clock: clock)
    let run = CacheTestRun(
      server: server, now: { clock.date }, pause: { clock.advance(by: .seconds(3)) }, fetch: fetch ?? manager.fetch)
    let test = try #require(try tests(#"[{"name": "", "id": "a", "requests": \#(requests)}]"#).first)
    return await run.verdict(on: test)
  }

  private typealias Fetch = @Sendable (CacheTestRun.Request) async throws -> CacheTestRun.Response

  @Test(arguments: wrong.indices) func whatARightCacheMustFailIsFailed(_ index: Int) async throws {
    let (requests, reason) = Self.wrong[index]
    let verdict = try await verdict(on: requests)
    guard case .failed(let details) = verdict else {
      Issue.record("\(requests): \(verdict)")
      return
    }
    #expect(details.contains { $0.contains(reason) }, "\(details)")
  }

  @Test(arguments: wrong.indices) func inASetupItIsNoVerdict(_ index: Int) async throws {
    let requests = Self.wrong[index].requests.replacing("\"expected_", with: "\"setup\": true, \"expected_")
    guard case .notReached = try await verdict(on: requests) else {
      Issue.record("\(requests)")
      return
    }
  }

  /// An unexpected failure makes a test meaningless, so it must not pass.
  @Test(arguments: ["status", "body", "fields", "repeated"]) func anAnswerThatIsChangedReachesNothing(_ what: String)
    async throws
  {
    let verdict = try await verdict(on: #"[{"response_headers": [["X-A", "1"]]}]"#) { request in
      let fields = request.marks.fields.map { "\($0.name): \($0.value)" }
      let port = request.url.port ?? 80
      if what == "repeated" { _ = try await RawClient.get(request.url.path(), from: port, headers: fields) }
      let answer = try await RawClient.get(request.url.path(), from: port, headers: fields)
      var response = CacheTestRun.Response(status: answer.status, headers: answer.headers, body: answer.body)
      switch what {
      case "status": response.status = 201
      case "body": response.body = []
      case "fields": response.headers?["X-A"] = "2"
      default: break
      }
      return response
    }
    guard case .notReached = verdict else {
      Issue.record("\(verdict)")
      return
    }
  }
}
