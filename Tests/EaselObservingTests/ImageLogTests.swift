import EaselCore
import EaselTestSupport
import Testing

@testable import EaselObserving

struct ImageLogTests {
  private func entries(
    from level: ImageLog.Level = .debug, _ body: (ImageLog, ManualClock) async throws -> Void
  ) async rethrows -> [ImageLog.Entry] {
    let seen = Locked<[ImageLog.Entry]>([])
    let clock = ManualClock()
    try await body(ImageLog(from: level, clock: clock) { entry in seen.withLock { $0.append(entry) } }, clock)
    return seen.withLock { $0 }
  }

  @Test func keepsTheContractOfObservers() async {
    #expect(await ImageObserverContract(ImageLog { _ in }).check().isEmpty)
  }

  @Test func aLoadFromBeginningToEnd() async throws {
    let entries = try await entries { log, _ in
      let studio = LoadStudio(log)
      _ = try await studio.load().result
    }
    #expect(entries.first?.message == "load began" && entries.contains { $0.message == "decoded" })
    let last = try #require(entries.last { $0.level == .info })
    #expect(last.message == "load succeeded" && last.fields["source"] == "network")
    #expect(last.fields["url"] == "https://host/path/a.toy")
    #expect(
      entries.contains { $0.message == "transfer ended" && $0.fields["run"] != nil && $0.fields["joined"] == "false" })
  }

  @Test func nothingSecretIsInAnEntry() async throws {
    let entries = await entries { log, _ in
      let studio = LoadStudio(log)
      studio.loader.script(LoadStudio.url, .body([1, 2, 3]))
      _ = try? await studio.load().result
    }
    #expect(entries.last?.level == .error)
    for entry in entries {
      #expect(!entry.fields.values.contains { $0.contains("secret") || $0.contains("token") }, "\(entry)")
    }
    let error = ImageError(.network, "The server at 'https://me:secret@host/x?token=1'. It said (http://a/b?c=d), no.")
    let told = await self.entries { log, _ in log.observe(ImageEvent(.failed(error))) }
    #expect(told[0].fields["reason"] == "The server at 'https://host/x. It said (http://a/b, no.")
    let plain = ImageError(.network, "Failed: see http://host/a?x=1.")
    let other = await self.entries { log, _ in log.observe(ImageEvent(.failed(plain))) }
    #expect(other[0].fields["reason"] == "Failed: see http://host/a." && other[0].fields["code"] == "network")
  }

  @Test func timesAreMeasured() async {
    let entries = await entries(from: .info) { log, clock in
      log.observe(ImageEvent(.started))
      clock.advance(by: .microseconds(12_500))
      log.observe(ImageEvent(.succeeded(.disk)))
      log.observe(ImageEvent(.succeeded(.disk), load: 2))
    }
    #expect(entries.map { $0.fields["ms"] } == ["12.500", nil])
  }

  @Test(arguments: [
    (ImageLog.Level.debug, ["load began", "cache failed", "load cancelled", "thread lost"]),
    (.info, ["cache failed", "load cancelled", "thread lost"]), (.warning, ["cache failed", "thread lost"]),
    (.error, ["thread lost"]),
  ])
  func levels(_ level: ImageLog.Level, _ messages: [String]) async {
    let error = ImageError(.cacheFailed, "Broken.")
    let entries = await entries(from: level) { log, _ in
      for kind in [
        ImageEvent.Kind.started, .cacheFailed(error), .failed(ImageError(.cancelled, "Cancelled.")), .threadLost(error),
      ] { log.observe(ImageEvent(kind)) }
    }
    #expect(entries.map(\.message) == messages)
  }
}
