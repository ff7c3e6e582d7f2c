import EaselCore
import EaselTestServers
import EaselTestSupport
import FoundationEssentials
import Testing

/// Manager, loader and stores together as a cache of HTTP, put to tests of the public kind.
struct ManagerAsHTTPCacheTests {
  /// The tests that script/http-cache-tests runs when it is given no others.
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("CacheSuite/private-cache.json")

  private static let tests = (try? CacheTestCase.all(in: Data(contentsOf: file))) ?? []

  @Test func theTestsAreRead() {
    #expect(Self.tests.count == 40)
    #expect(Self.tests.allSatisfy { $0.reasonToLeaveOut == nil && $0.kind == .required })
  }

  @Test(arguments: tests.map(\.id), [true, false])
  func theManagerDoesAsExpected(id: String, hasMemory: Bool) async throws {
    let test = try #require(Self.tests.first { $0.id == id })
    let clock = ManualClock()
    let server = try CacheTestServer(now: { clock.date })
    defer { server.close() }
    // Without memory everything comes from the records on disk.
    let cache = TieredCache(memory: hasMemory ? RecordingMemoryStore() : nil, disk: RecordingDiskStore())
    let manager = CacheTestManager(loader: PlainLoader(), cache: cache, clock: clock)
    let run = CacheTestRun(
      server: server, now: { clock.date }, pause: { clock.advance(by: .seconds(3)) }, fetch: manager.fetch)
    #expect(await run.verdict(on: test) == .passed, "\(test.name)")
  }
}
