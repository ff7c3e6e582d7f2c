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
