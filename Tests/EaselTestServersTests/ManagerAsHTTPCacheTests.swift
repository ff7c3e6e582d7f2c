import EaselCore
import EaselTestServers
import EaselTestSupport
import FoundationEssentials
import Testing

/// Manager, loader and stores together as a cache of HTTP, put to tests of the public kind.
struct ManagerAsHTTPCacheTests {
  static let json = #"""
    [
      {"id": "max-age", "name": "A response is used while it is fresh", "requests": [
        {"response_headers": [["Cache-Control", "max-age=3600"]], "setup": true, "pause_after": true},
        {"expected_type": "cached"}]},
      {"id": "max-age-over", "name": "It is not used afterwards", "requests": [
        {"response_headers": [["Cache-Control", "max-age=2"]], "setup": true, "pause_after": true},
        {"expected_type": "not_cached"}]},
      {"id": "max-age-zero", "name": "Fresh for no time", "requests": [
        {"response_headers": [["Cache-Control", "max-age=0"]], "setup": true},
        {"expected_type": "not_cached"}]},
      {"id": "expires", "name": "Expires says how long", "requests": [
        {"response_headers": [["Expires", 3600], ["Date", 0]], "setup": true, "pause_after": true},
        {"expected_type": "cached"}]},
      {"id": "expires-past", "name": "Expires in the past", "requests": [
        {"response_headers": [["Expires", -1], ["Date", 0]], "setup": true},
        {"expected_type": "not_cached"}]},
      {"id": "expires-invalid", "name": "Expires that is no date", "requests": [
        {"response_headers": [["Expires", "0"], ["Date", 0]], "setup": true},
        {"expected_type": "not_cached"}]},
      {"id": "max-age-wins", "name": "max-age goes before Expires", "requests": [
        {"response_headers": [["Cache-Control", "max-age=3600"], ["Expires", -10], ["Date", 0]], "setup": true},
        {"expected_type": "cached"}]},
      {"id": "age", "name": "Time spent elsewhere counts", "requests": [
        {"response_headers": [["Cache-Control", "max-age=3600"], ["Age", "3599"]], "setup": true, "pause_after": true},
        {"expected_type": "not_cached"}]},
      {"id": "no-store", "name": "What is not to be stored is not", "requests": [
        {"response_headers": [["Cache-Control", "no-store, max-age=3600"]], "setup": true},
        {"expected_type": "not_cached"}]},
      {"id": "no-cache", "name": "What is to be validated is", "requests": [
        {"response_headers": [["Cache-Control", "no-cache, max-age=3600"], ["ETag", "\"a\""]], "setup": true},
        {"expected_type": "etag_validated"}]},
      {"id": "private", "name": "A cache of one user keeps what is private", "requests": [
        {"response_headers": [["Cache-Control", "private, max-age=3600"]], "setup": true},
        {"expected_type": "cached"}]},
      {"id": "etag", "name": "A stale response is validated by its tag", "requests": [
        {"response_headers": [["Cache-Control", "max-age=1"], ["ETag", "\"a\""]], "setup": true, "pause_after": true},
        {"expected_type": "etag_validated", "expected_request_headers": [["If-None-Match", "\"a\""]]}]},
      {"id": "etag-weak", "name": "A weak tag will do", "requests": [
        {"response_headers": [["Cache-Control", "max-age=1"], ["ETag", "W/\"a\""]], "setup": true, "pause_after": true},
        {"expected_type": "etag_validated", "expected_request_headers": [["If-None-Match", "W/\"a\""]]}]},
      {"id": "last-modified", "name": "A stale response is validated by its date", "requests": [
        {"response_headers": [["Cache-Control", "max-age=1"], ["Last-Modified", -3600]], "setup": true,
         "pause_after": true},
        {"expected_type": "lm_validated"}]},
      {"id": "renewed", "name": "What was validated is fresh again", "requests": [
        {"response_headers": [["Cache-Control", "max-age=2"], ["ETag", "\"a\""]], "setup": true, "pause_after": true},
        {"response_headers": [["Cache-Control", "max-age=3600"], ["ETag", "\"a\""]],
         "expected_type": "etag_validated", "setup": true, "pause_after": true},
        {"expected_type": "cached"}]},
      {"id": "vary", "name": "Another header field is another response", "requests": [
        {"request_headers": [["X-Kind", "1"]], "setup": true,
         "response_headers": [["Cache-Control", "max-age=3600"], ["Vary", "X-Kind"]]},
        {"request_headers": [["X-Kind", "2"]], "expected_type": "not_cached"}]},
      {"id": "vary-same", "name": "The same header field is the same response", "requests": [
        {"request_headers": [["X-Kind", "1"]], "setup": true,
         "response_headers": [["Cache-Control", "max-age=3600"], ["Vary", "X-Kind"]]},
        {"request_headers": [["X-Kind", "1"]], "expected_type": "cached"}]},
      {"id": "vary-star", "name": "What varies with everything is never used", "requests": [
        {"response_headers": [["Cache-Control", "max-age=3600"], ["Vary", "*"]], "setup": true},
        {"expected_type": "not_cached"}]},
      {"id": "query", "name": "Another query is another response", "requests": [
        {"query_arg": "a", "response_headers": [["Cache-Control", "max-age=3600"]], "setup": true},
        {"query_arg": "b", "expected_type": "not_cached"}]},
      {"id": "authorization", "name": "One user's response is not another's", "requests": [
        {"request_headers": [["Authorization", "Basic YTph"]], "setup": true,
         "response_headers": [["Cache-Control", "private, max-age=3600"]]},
        {"request_headers": [["Authorization", "Basic Yjpi"]], "expected_type": "not_cached"}]},
      {"id": "stale-if-error", "name": "A stale response stands in for an error where it may", "requests": [
        {"response_headers": [["Cache-Control", "max-age=1, stale-if-error=60"]], "setup": true, "pause_after": true},
        {"response_status": [503, "Busy"], "expected_status": 200}]},
      {"id": "no-stale-if-error", "name": "It does not where it must be validated", "requests": [
        {"response_headers": [["Cache-Control", "max-age=1, must-revalidate"]], "setup": true, "pause_after": true},
        {"response_status": [503, "Busy"], "expected_status": 503}]}
    ]
    """#

  private static let tests = (try? CacheTestCase.all(in: Data(json.utf8))) ?? []

  private static func manager(_ clock: ManualClock, _ cache: TieredCache) -> ImageManager {
    var configuration = ImageManager.Configuration(
      loader: PlainLoader(), coder: CoderRegistry([ToyCoder()]), cache: cache)
    configuration.cachePolicy = .http
    configuration.clock = clock
    return ImageManager(configuration)
  }

  @Test func theTestsAreRead() { #expect(Self.tests.count == 22) }

  @Test(arguments: tests.map(\.id), [true, false])
  func theManagerDoesAsExpected(id: String, hasMemory: Bool) async throws {
    let test = try #require(Self.tests.first { $0.id == id })
    let clock = ManualClock()
    let server = try CacheTestServer(
      body: ToyPicture(width: 4, height: 4, seed: 9).bytes, now: { clock.date })
    defer { server.close() }
    // Without memory everything comes from the records on disk.
    let cache = TieredCache(memory: hasMemory ? RecordingMemoryStore() : nil, disk: RecordingDiskStore())
    let manager = Self.manager(clock, cache)
    let run = CacheTestRun(
      server: server, now: { clock.date }, pause: { clock.advance(by: .seconds(3)) },
      fetch: { request in
        let wanted = ImageRequest(url: request.url, options: .waitStore, context: [.headers(request.headers)])
        do {
          _ = try await manager.result(for: wanted)
          return .init(status: 200)
        } catch {
          guard let status = (error as? ImageError)?.status else { throw error }
          return .init(status: status)
        }
      })
    #expect(await run.verdict(on: test) == .passed, "\(test.name)")
  }
}
