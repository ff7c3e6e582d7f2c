import EaselCore
import EaselSupport
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

/// A run distinguishes correct caches from incorrect ones.
@Suite(.tags(.alone))
struct CacheTestRunTests {
  private static let json = #"""
    [{"name": "suite", "id": "s", "tests": [
      {"name": "fresh", "id": "fresh", "kind": "optimal", "requests": [
        {"response_headers": [["Cache-Control", "max-age=10"]], "setup": true},
        {"expected_type": "cached"}]},
      {"name": "not stored", "id": "no-store", "cdn_only": true, "requests": [
        {"response_headers": [["Cache-Control", "no-store"]]},
        {"expected_type": "not_cached"}]},
      {"name": "tag", "id": "tag", "browser_only": true, "requests": [
        {"response_headers": [["ETag", "\"a\""]], "pause_after": true},
        {"expected_type": "etag_validated", "expected_status": 304,
         "expected_request_headers": ["If-None-Match", ["If-None-Match", "\"a\""]],
         "expected_request_headers_missing": ["Range", ["If-None-Match", "\"b\""]]}]},
      {"name": "date", "id": "date", "requests": [
        {"response_headers": [["Last-Modified", -100]]},
        {"request_headers": [["If-Modified-Since", 0]], "magic_ims": true, "expected_type": "lm_validated",
         "expected_status": 304, "expected_method": "GET"}]},
      {"name": "fields", "id": "fields", "requests": [
        {"response_headers": [["Age", "12", false], ["X-A", "b", false], ["X-B", "b", false]],
         "response_body": "text", "expected_status": 200, "expected_response_text": "text", "expected_response_headers":
           ["Age", ["Age", ">", 11], ["X-A", "b"], ["X-A", "=", "X-B"]],
         "expected_response_headers_missing": ["X-C", ["X-A", "c"]]}]},
      {"name": "whatever comes", "id": "null", "requests": [
        {"response_status": [404, "Not Found"], "expected_status": null, "response_body": "text",
         "expected_response_text": null}]}
    ]}]
    """#

  /// A client that always asks the server; if it keeps validators, it sends those of the previous answer.
  private actor Asker {
    private let keepsTags: Bool
    private var tag: String?

    init(keepsTags: Bool) { self.keepsTags = keepsTags }

    func fetch(_ request: CacheTestRun.Request) async throws -> CacheTestRun.Response {
      var fields = (request.headers.fields + request.marks.fields).map { "\($0.name): \($0.value)" }
      if let tag { fields.append("If-None-Match: \(tag)") }
      let answer = try await RawClient.get(
        request.url.path(), from: request.url.port ?? 80, method: request.method, headers: fields)
      if keepsTags { tag = answer.headers["ETag"] }
      return .init(status: answer.status, headers: answer.headers, body: answer.body)
    }
  }

  private func verdicts(
    json: String = json, _ fetch: @escaping @Sendable (CacheTestRun.Request) async throws -> CacheTestRun.Response
  ) async throws -> [String: CacheTestRun.Verdict] {
    let clock = ManualClock()
    let server = try CacheTestServer(now: { clock.date })
    defer { server.close() }
    let run = CacheTestRun(
      server: server, now: { clock.date }, pause: { clock.advance(by: .seconds(3)) }, fetch: fetch)
    var verdicts: [String: CacheTestRun.Verdict] = [:]
    for test in try CacheTestCase.all(in: Data(json.utf8)) { verdicts[test.id] = await run.verdict(on: test) }
    return verdicts
  }

  @Test func testsAreReadFromSuitesAndLists() throws {
    let tests = try CacheTestCase.all(in: Data(Self.json.utf8))
    #expect(tests.map(\.id) == ["fresh", "no-store", "tag", "date", "fields", "null"])
    #expect(tests.map(\.isForSharedCaches) == [false, true, false, false, false, false])
    #expect(tests.map(\.isForPrivateCaches) == [false, false, true, false, false, false])
    #expect(tests.map(\.kind) == [.optimal, .required, .required, .required, .required, .required])
    let suite = String(Self.json.dropFirst().dropLast())
    #expect(try CacheTestCase.all(in: Data(suite.utf8)).count == 6)
    #expect(throws: (any Error).self) { try CacheTestCase.all(in: Data("[1]".utf8)) }
  }

  @Test func whoKeepsNothingFailsWhatIsToBeKept() async throws {
    let verdicts = try await verdicts { try await Asker(keepsTags: false).fetch($0) }
    #expect(verdicts["fresh"] == .failed(["Request 2: the server was asked"]))
    #expect(verdicts["no-store"] == .passed)
    #expect(verdicts["date"] == .passed)
    #expect(verdicts["fields"] == .passed)
    guard case .failed(let reasons)? = verdicts["tag"] else {
      Issue.record("\(verdicts)")
      return
    }
    #expect(reasons.contains("Request 2: there was no If-None-Match"))
    #expect(reasons.contains("Request 2: the request had no condition"))
  }

  @Test func whoKeepsTagsPassesWhatAsksForThem() async throws {
    let asker = Asker(keepsTags: true)
    #expect(try await verdicts { try await asker.fetch($0) }["tag"] == .passed)
  }

  @Test func whoKeepsEverythingFailsWhatIsNotToBeKept() async throws {
    let kept = Locked<[URL: CacheTestRun.Response]>([:])
    let verdicts = try await verdicts { request in
      if let known = kept.withLock({ $0[request.url] }) { return known }
      let response = try await Asker(keepsTags: false).fetch(request)
      kept.withLock { $0[request.url] = response }
      return response
    }
    #expect(verdicts["fresh"] == .passed)
    #expect(verdicts["no-store"] == .failed(["Request 2: the server was not asked"]))
  }

  @Test func whatIsWrongInAnAnswerIsFound() async throws {
    let verdicts = try await verdicts { request in
      var response = try await Asker(keepsTags: false).fetch(request)
      response.headers = ["X-A": "c", "X-B": "b", "X-C": "", "Age": "11"]
      response.body = []
      response.status = 201
      return response
    }
    guard case .failed(let reasons)? = verdicts["fields"] else {
      Issue.record("\(verdicts)")
      return
    }
    // The status, the text, three fields and two forbidden fields.
    #expect(reasons.count == 7)
    #expect(verdicts["null"] == .passed)
  }

  @Test func aSetupThatFailsIsNoVerdict() async throws {
    struct Refusal: Error {}
    let verdicts = try await verdicts { _ in throw Refusal() }
    for verdict in verdicts.values {
      guard case .notReached = verdict else {
        Issue.record("\(verdict)")
        continue
      }
    }
    #expect(verdicts.count == 6)
  }
}
