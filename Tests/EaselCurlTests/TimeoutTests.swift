import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// The time limits of transfers; all are longer than a busy machine needs.
@Suite(.tags(.alone))
struct TimeoutTests {
  private let time = SkippableTime()
  private let sink = KeepingSink()
  private let gate = Gate()

  /// The error of a load that times out; its loader then loads something else.
  private func failure(
    of script: ServerScript, _ change: (inout CurlLoader.Configuration) -> Void,
    whileWaiting wait: (ScriptableServer) async -> Void
  ) async throws -> ImageError? {
    let server = try ScriptableServer(routes: ["/a": .always(script), "/good": .always(.reply(body: [1, 2, 3]))])
    defer { server.close() }
    return try await withLoader(
      time: time,
      {
        $0.maximumResumptions = 0
        change(&$0)
      }
    ) { loader in
      async let failure = loader.failure(of: LoadRequest(url: server.url("/a")), sink: sink)
      await wait(server)
      let error = await failure
      let good = try await loader.body(server.url("/good")).sink
      #expect(good.body == [1, 2, 3])
      return error
    }
  }

  /// A body of single bytes, each sent when the gate lets it through.
  private func dripping(_ count: Int) -> ServerScript {
    [.head(200, [("Content-Length", "\(count)")]), .drip(ServerBody.bytes(count), through: gate)]
  }

  @Test func aStallIsATimeOut() async throws {
    let failure = try await failure(of: .stalling(after: 10, of: 100)) {
      $0.idleTimeout = .seconds(300)
    } whileWaiting: { _ in
      await sink.waitForBytes(10)
      await time.skip(.seconds(301))
    }
    #expect(failure?.code == .timedOut)
    #expect(failure?.message.contains("for 300.0 seconds, after 10 bytes") == true)
  }

  @Test func anAnswerThatNeverComesIsATimeOut() async throws {
    let failure = try await failure(of: .silence) {
      $0.idleTimeout = .seconds(300)
    } whileWaiting: { server in
      await server.waitForRequests()
      await time.skip(.seconds(301))
    }
    #expect(failure?.code == .timedOut)
    #expect(failure?.message.contains("did not answer") == true)
  }

  @Test func oneByteNowAndThenIsStoppedByTheTotalTime() async throws {
    let failure = try await failure(of: dripping(1000)) {
      $0.idleTimeout = .seconds(600)
      $0.totalTimeout = .seconds(1000)
    } whileWaiting: { _ in
      for count in 1...3 {
        gate.letThrough()
        await sink.waitForBytes(count)
        await time.skip(.seconds(400))
      }
    }
    #expect(failure?.code == .timedOut)
    #expect(failure?.message.contains("longer than") == true)
  }

  @Test func silenceCountsFromTheLastByteAndNotFromTheWaitBeforeIt() async throws {
    let count = 5
    let server = try ScriptableServer(routes: ["/a": .always(dripping(count))])
    defer { server.close() }
    try await withLoader(
      time: time,
      {
        $0.idleTimeout = .seconds(1000)
        $0.totalTimeout = nil
      }
    ) { loader in
      async let load = loader.load(LoadRequest(url: server.url("/a")), into: sink)
      for number in 1...count {
        // Two such waits exceed the limit.
        if number > 1 { await time.skip(.seconds(600)) }
        gate.letThrough()
        await sink.waitForBytes(number)
      }
      _ = try await load
      #expect(sink.body == ServerBody.bytes(count))
    }
  }

  @Test func aPausedSinkIsNoSilenceOfTheServer() async throws {
    let body = ServerBody.bytes(100_000)
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: body))])
    defer { server.close() }
    let paused = RecordingSink(takesHeadAtOnce: true, pausesAfterEachChunk: true)
    try await withLoader(
      time: time,
      {
        $0.idleTimeout = .seconds(300)
        $0.totalTimeout = nil
        $0.leastRate = 1000
      }
    ) { loader in
      async let load = loader.load(LoadRequest(url: server.url("/a")), into: paused)
      await paused.waitUntilPaused()
      await time.skip(.seconds(1000))
      paused.resumeForGood()
      _ = try await load
      #expect(paused.body == body)
    }
  }

  /// The loader's default configuration.
  private var standard: CurlLoader.Configuration { CurlLoader.Configuration() }

  @Test func oneByteNowAndThenIsTooSlowByDefault() async throws {
    let failure = try await failure(of: dripping(100_000)) {
      $0.leastRate = standard.leastRate
      $0.leastRatePeriod = standard.leastRatePeriod
    } whileWaiting: { _ in
      gate.letThrough()
      await sink.waitForBytes(1)
      await time.skip(.seconds(31))
    }
    #expect(failure?.code == .timedOut)
    #expect(failure?.message.contains("less than 1000 a second") == true)
  }

  /// The time counts from the first bytes, however long the server took to begin.
  @Test(arguments: [false, true])
  func aSlowBodyEndsWithTheFirstPeriodThatIsTooSlow(isLate: Bool) async throws {
    let begins = Gate()
    let script = ServerScript([.wait(begins)] + dripping(100_000).steps)
    let failure = try await failure(of: script) {
      $0.leastRate = standard.leastRate
      $0.leastRatePeriod = standard.leastRatePeriod
    } whileWaiting: { server in
      await server.waitForRequests()
      if isLate { await time.skip(.seconds(29)) }
      begins.open()
      gate.letThrough()
      await sink.waitForBytes(1)
      await time.skip(.seconds(25))
      gate.letThrough()
      await sink.waitForBytes(2)
      // One more byte would come, but the thirty seconds are over.
      await time.skip(.seconds(6))
    }
    #expect(failure?.code == .timedOut)
    #expect(failure?.message.contains("less than 1000 a second") == true)
    #expect(sink.count == 2)
  }

  @Test func linesOfAHeadThatComeNowAndThenAreTooSlowByDefault() async throws {
    let lines = (0..<1000).flatMap { [ServerStep.wait(gate), .text("X-\($0): a\r\n")] }
    let failure = try await failure(of: ServerScript([.text("HTTP/1.1 200 OK\r\n")] + lines)) {
      $0.leastRate = standard.leastRate
    } whileWaiting: { server in
      await server.waitForRequests()
      for _ in 1...4 {
        gate.letThrough()
        await time.skip(.seconds(31))
      }
    }
    #expect(failure?.code == .timedOut)
    #expect(failure?.message.contains("less than 1000 a second") == true)
  }

  @Test func whatComesFastEnoughIsNotTooSlow() async throws {
    // These are far more bytes than the rate demands, so that a busy machine may take its time.
    let (part, count) = (400_000, 5)
    let steps = (0..<count).flatMap { _ in [ServerStep.wait(gate), .body(count: part)] }
    let script = ServerScript([.head(200, [("Content-Length", "\(part * count)")])] + steps, keepsAlive: true)
    let server = try ScriptableServer(routes: ["/a": .always(script)])
    defer { server.close() }
    try await withLoader(time: time, { $0.leastRate = standard.leastRate }) { loader in
      async let load = loader.load(LoadRequest(url: server.url("/a")), into: sink)
      for number in 1...count {
        gate.letThrough()
        await sink.waitForBytes(number * part)
        if number < count { await time.skip(.seconds(31)) }
      }
      _ = try await load
      #expect(sink.count == part * count)
    }
  }

  @Test func tenMinutesAreEnoughForATransferByDefault() async throws {
    let failure = try await failure(of: dripping(1000)) {
      $0.totalTimeout = standard.totalTimeout
      $0.idleTimeout = .seconds(1000)
    } whileWaiting: { _ in
      for count in 1...2 {
        gate.letThrough()
        await sink.waitForBytes(count)
        await time.skip(.seconds(301))
      }
    }
    #expect(failure?.code == .timedOut)
    #expect(failure?.message.contains("longer than 600.0 seconds") == true)
  }

  /// A receiver that never returns must not hold a transfer for ever, by default or with other settings.
  @Test func aReceiverThatNeverTakesTheHeadEndsWithTheTotalTime() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: ServerBody.bytes(100_000)))])
    defer { server.close() }
    let waiting = RecordingSink()
    waiting.headGate.close()
    try await withLoader(time: time) { loader in
      async let failure = loader.failure(of: LoadRequest(url: server.url("/a")), sink: waiting)
      await waiting.headGate.waitForWaiters()
      await time.skip(.seconds(601))
      waiting.headGate.open()
      #expect(await failure?.code == .timedOut)
    }
  }
}
