import EaselCore
import EaselCurl
import EaselDisk
import EaselMemory
import EaselTestServers
import EaselTestSupport
import Foundation

/// Puts a suite of cache tests to manager, curl loader and both stores together, and prints how each test ended.
///
/// usage: EaselCacheSuite FILE.json
@main
struct CacheSuite {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      FileHandle.standardError.write(Data("usage: EaselCacheSuite FILE.json\n".utf8))
      exit(2)
    }
    let all = try CacheTestCase.all(in: Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
    let tests = all.filter { !$0.isForSharedCaches }
    var counts: [String: Int] = [:]
    for test in tests {
      let (word, details) = describe(await verdict(on: test))
      counts[word, default: 0] += 1
      print("\(word)  \(test.id): \(test.name)")
      for detail in details { print("        \(detail)") }
    }
    let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("\(tests.count) tests, \(all.count - tests.count) for shared caches left out: \(summary)")
    exit(tests.isEmpty || counts["failed"] != nil ? 1 : 0)
  }

  private static func describe(_ verdict: CacheTestRun.Verdict) -> (String, [String]) {
    switch verdict {
    case .passed: ("passed", [])
    case .failed(let complaints): ("failed", complaints)
    case .notReached(let complaints): ("not reached", complaints)
    }
  }

  /// Each test has caches of its own, on which the clock is moved by hand.
  private static func verdict(on test: CacheTestCase) async -> CacheTestRun.Verdict {
    let clock = ManualClock()
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("easel-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    do {
      let server = try CacheTestServer(body: ToyPicture(width: 4, height: 4, seed: 9).bytes, now: { clock.date })
      defer { server.close() }
      let disk = SQLiteDiskStore(directory: directory)
      defer { disk.close() }
      var configuration = ImageManager.Configuration(
        loader: CurlLoader(), coder: CoderRegistry([ToyCoder()]),
        cache: TieredCache(memory: LRUMemoryStore(.init(), clock: clock), disk: disk))
      configuration.cachePolicy = .http
      configuration.clock = clock
      let manager = ImageManager(configuration)
      let run = CacheTestRun(
        server: server, now: { clock.date }, pause: { clock.advance(by: .seconds(3)) },
        fetch: { try await fetch($0, by: manager) })
      return await run.verdict(on: test)
    } catch {
      return .failed(["The test could not be set up: \(error)"])
    }
  }

  /// The pixels say nothing of the status of a cached answer: what is there was good when it came.
  private static func fetch(
    _ request: CacheTestRun.Request, by manager: ImageManager
  ) async throws -> CacheTestRun.Response {
    var wanted = ImageRequest(url: request.url, options: .waitStore, context: [.headers(request.headers)])
    wanted.method = request.method
    wanted.body = request.body.map { Data($0) }
    do {
      _ = try await manager.result(for: wanted)
      return CacheTestRun.Response(status: 200)
    } catch {
      guard let status = error.status else { throw error }
      return CacheTestRun.Response(status: status)
    }
  }
}
