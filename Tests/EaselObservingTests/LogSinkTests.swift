import EaselCore
import EaselManager
import EaselSupport
import EaselTestSupport
import Testing

@testable import EaselObserving

struct LogSinkTests {
  @TaskLocal private static var request: String?

  private final class Sink: LogSink {
    let entries = Locked<[ImageLog.Entry]>([])
    let least: ImageLog.Level

    init(_ least: ImageLog.Level = .debug) { self.least = least }

    func accepts(_ level: ImageLog.Level) -> Bool { level >= least }
    func callerFields() -> [String: String] { LogSinkTests.request.map { ["request": $0, "code": "none"] } ?? [:] }
    func write(_ entry: ImageLog.Entry) { entries.withLock { $0.append(entry) } }
  }

  @Test func eachEntryHasTheFieldsOfTheCallerOfItsLoad() async throws {
    let sink = Sink()
    let studio = LoadStudio(ImageLog(to: sink), caches: false)
    studio.loader.suspend(LoadStudio.url)
    let first = Self.$request.withValue("1") { studio.load() }
    await studio.loader.waitUntilSuspended(LoadStudio.url)
    // It joins the work of the first load, and has fields of its own caller none the less.
    let second = Self.$request.withValue("2") { studio.load() }
    studio.loader.resume(LoadStudio.url)
    _ = try await (first.image, second.image)
    let loads = Dictionary(grouping: sink.entries.withLock { $0 }) { $0.fields["load"] }
    #expect(loads.count == 2)
    for (_, entries) in loads {
      let began = try #require(entries.first?.fields["request"])
      #expect(entries.first?.message == "load began" && entries.last?.message == "load succeeded")
      #expect(entries.allSatisfy { $0.fields["request"] == began })
    }
  }

  @Test func theFieldsOfAnEventCountMore() throws {
    let sink = Sink(.warning)
    let log = ImageLog(to: sink)
    Self.$request.withValue("1") { log.observe(ImageEvent(.started)) }
    log.observe(ImageEvent(.failed(ImageError(.network, "No route."))))
    let entry = try #require(sink.entries.withLock { $0 }.first)
    #expect(entry.fields["code"] == "network" && entry.fields["request"] == "1")
    #expect(sink.entries.withLock { $0.count } == 1)
  }
}
