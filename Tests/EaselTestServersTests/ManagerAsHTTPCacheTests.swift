import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import EaselTiers
import FoundationEssentials
import Testing

/// Runs the tests of the public suite with manager, loader and stores as an HTTP cache.
@Suite(.tags(.alone))
struct ManagerAsHTTPCacheTests {
  /// The tests that script/check http-cache runs by default.
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("CacheSuite/private-cache.json")

  private static let tests = (try? CacheTestCase.all(in: Data(contentsOf: file))) ?? []

  @Test func theTestsAreRead() {
    #expect(Self.tests.count == 43)
    #expect(Self.tests.allSatisfy { $0.reasonToLeaveOut == nil && $0.kind == .required })
  }

  @Test(arguments: tests.map(\.id), [true, false])
  func theManagerDoesAsExpected(id: String, hasMemory: Bool) async throws {
    let test = try #require(Self.tests.first { $0.id == id })
    let clock = ManualClock()
    let server = try CacheTestServer(now: { clock.date })
    defer { server.close() }
    // Without memory, every answer comes from the records on disk.
    let cache = TieredCache(memory: hasMemory ? RecordingMemoryStore() : nil, disk: RecordingDiskStore())
    let manager = CacheTestManager(loader: PlainLoader(), cache: cache, clock: clock)
    let run = CacheTestRun(
      server: server, now: { clock.date }, pause: { clock.advance(by: .seconds(3)) }, fetch: manager.fetch)
    #expect(await run.verdict(on: test) == .passed, "\(test.name)")
  }
}
