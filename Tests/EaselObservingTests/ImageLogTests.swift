import EaselCore
import EaselSupport
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
    #expect(entries.last?.level == .warning && entries.last?.message == "load failed")
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

  @Test func theCauseIsToldWithoutSecrets() async {
    struct Refusal: Error, CustomStringConvertible {
      let description = "The vault at https://me:secret@vault/key?token=1 is sealed"
    }
    let error = ImageError(.network, "The loader failed.", cause: Refusal())
    let entries = await entries { log, _ in log.observe(ImageEvent(.failed(error))) }
    #expect(entries[0].fields["reason"] == "The loader failed.")
    #expect(entries[0].fields["cause"] == "The vault at https://vault/key is sealed")
  }

  @Test(arguments: [
    (ImageError(.badImageData, "x"), ImageLog.Level.warning), (ImageError(.invalidURL, "x"), .warning),
    (ImageError(.limitExceeded, "x"), .warning), (.exhausted("x"), .error), (ImageError(.network, "x"), .error),
    (ImageError(.badStatus, "x", response: ResponseHead(status: 404)), .warning),
    (ImageError(.badStatus, "x", response: ResponseHead(status: 500)), .error),
    (ImageError(.forbiddenAddress, "x"), .warning), (ImageError(.overloaded, "x"), .warning),
    (ImageError(.transformFailed, "x"), .error), (ImageError(.decoderCrashed, "x"), .error),
  ])
  func whatWasAskedForIsNoErrorOfTheProgram(_ error: ImageError, _ level: ImageLog.Level) async {
    let entries = await entries { log, _ in log.observe(ImageEvent(.failed(error))) }
    #expect(entries.map(\.level) == [level] && entries[0].message == "load failed")
  }

  /// Three variants of one picture fail, another picture fails, and the first one fails again later.
  @Test func aFailureIsToldOnceForAllVariants() async {
    func key(_ name: String, _ suffix: String) -> CacheKey {
      CacheKey(original: name, suffixes: [CacheKey.Suffix(suffix)])
    }
    let failed = ImageEvent.Kind.failed(ImageError(.badImageData, "Damaged."))
    let entries = await entries(from: .info) { log, clock in
      for suffix in ["a", "b", "c"] { log.observe(ImageEvent(failed, key: key("http://h/1", suffix))) }
      log.observe(ImageEvent(failed, key: key("http://h/2", "a")))
      log.observe(ImageEvent(.failed(ImageError(.network, "Off.")), key: key("http://h/1", "a")))
      clock.advance(by: .seconds(60))
      log.observe(ImageEvent(failed, key: key("http://h/1", "b")))
    }
    #expect(entries.map { $0.fields["url"] } == ["http://h/1", "http://h/2", "http://h/1", "http://h/1"])
    #expect(entries.map(\.level) == [.warning, .warning, .error, .warning])
    let all = await self.entries { log, _ in
      for suffix in ["a", "b"] { log.observe(ImageEvent(failed, key: key("http://h/1", suffix))) }
    }
    #expect(all.map(\.message) == ["load failed", "load failed as before"] && all[1].level == .debug)
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
