import EaselCore
import EaselCurl
import EaselDisk
import EaselMemory
import EaselTestServers
import EaselTestSupport
import EaselTiers
import Foundation

/// Runs a suite of cache tests with the manager, the curl loader and both stores.
///
/// Prints the outcome of each test and the number of outcomes of each kind.
///
/// usage: EaselCacheSuite FILE.json
@main
struct CacheSuite {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      FileHandle.standardError.write(Data("usage: EaselCacheSuite FILE.json\n".utf8))
      exit(2)
    }
    let tests = try CacheTestCase.all(in: Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
    var verdicts: [String: CacheTestRun.Verdict] = [:]
    for test in tests where test.reasonToLeaveOut == nil { verdicts[test.id] = await verdict(on: test) }
    let report = CacheTestReport(tests, verdicts: verdicts)
    for row in report.rows {
      print("\(row.outcome.rawValue)  \(row.test.kind.rawValue)  \(row.test.id): \(row.test.name)")
      for detail in row.details { print("        \(detail)") }
    }
    print("")
    for line in report.summary { print(line) }
    exit(report.isGood ? 0 : 1)
  }

  /// Each test has its own caches and its own clock, which is moved by hand.
  private static func verdict(on test: CacheTestCase) async -> CacheTestRun.Verdict {
    let clock = ManualClock()
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("easel-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    do {
      let server = try CacheTestServer(now: { clock.date })
      defer { server.close() }
      let disk = SQLiteDiskStore(directory: directory)
      defer { disk.close() }
      let manager = CacheTestManager(
        loader: CurlLoader(), cache: TieredCache(memory: LRUMemoryStore(.init(), clock: clock), disk: disk),
        clock: clock)
      let run = CacheTestRun(
        server: server, now: { clock.date }, pause: { clock.advance(by: .seconds(3)) }, fetch: manager.fetch)
      return await run.verdict(on: test)
    } catch {
      return .failed(["The test could not be set up: \(error)"])
    }
  }
}
