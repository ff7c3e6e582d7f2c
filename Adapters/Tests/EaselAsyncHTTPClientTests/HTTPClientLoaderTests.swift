import AsyncHTTPClient
import EaselCore
import EaselTestSupport
import FoundationEssentials
import NIOHTTP1
import Testing

@testable import EaselAsyncHTTPClient

@Suite(.serialized)
struct HTTPClientLoaderTests {
  @Test func theContractIsKept() async throws {
    let sizes = [1, 4096, 300_000, 3_000_000]
    let server = try await OriginServer { head in .bytes(ServerBody.bytes(Int(head.uri.dropFirst()) ?? 0)) }
    let refusing = try RefusingPort()
    try await withLoader { loader in
      let samples = sizes.map { ImageLoaderContract.Sample(server.url("/\($0)"), body: ServerBody.bytes($0)) }
      let contract = ImageLoaderContract(loader, samples: samples, failingURL: refusing.url())
      #expect(await contract.check() == [])
    }
    try await server.close()
  }

  @Test func headsAndFiguresAreThoseOfTheAnswer() async throws {
    let server = try await OriginServer { _ in .bytes([1, 2, 3], ["Content-Type": "image/png", "ETag": "\"a\""]) }
    try await withLoader { loader in
      let sink = RecordingSink(takesHeadAtOnce: true)
      guard case .body(let metrics?) = try await loader.load(LoadRequest(url: server.url("/a")), into: sink) else {
        Issue.record("The body came another way.")
        return
      }
      #expect(metrics.bytesReceived == 3 && metrics.protocolName == "HTTP/1.1" && metrics.redirects == 0)
      #expect(sink.head?.url == server.url("/a") && sink.head?.status == 200 && sink.head?.expectedLength == 3)
      #expect(sink.head?.mimeType == "image/png" && sink.head?.headers["ETag"] == "\"a\"")
    }
    let sent = try #require(server.record.requests.first).headers
    #expect(sent["User-Agent"] == ["Easel"] && sent["Accept-Encoding"] == ["identity"])
    try await server.close()
  }

  @Test func aBodyOverTheLimitEndsTheLoad() async throws {
    let server = try await OriginServer { head in
      head.uri == "/chunked"
        ? .init(headers: ["Transfer-Encoding": "chunked"], body: ServerBody.bytes(5000))
        : .bytes(ServerBody.bytes(5000))
    }
    try await withLoader { loader in
      for path in ["/a", "/chunked"] {
        var request = LoadRequest(url: server.url(path))
        request.byteLimit = 4999
        #expect(await loader.failure(request)?.code == .limitExceeded)
        request.byteLimit = 5000
        let whole = try await loader.fetch(request)
        #expect(whole.body.count == 5000)
      }
    }
    try await server.close()
  }

  @Test func aCutBodyIsAnError() async throws {
    let server = try await OriginServer { _ in
      .init(headers: ["Content-Length": "10"], body: [1, 2, 3], end: .broken)
    }
    try await withLoader { loader in
      #expect(await loader.failure(LoadRequest(url: server.url("/a")))?.code == .truncatedBody)
    }
    try await server.close()
  }

  @Test func aPackedBodyIsRefused() async throws {
    let server = try await OriginServer { _ in .bytes([31, 139, 8], ["Content-Encoding": "gzip"]) }
    try await withLoader { loader in
      let error = await loader.failure(LoadRequest(url: server.url("/a")))
      #expect(error?.code == .badImageData && error?.message.contains("gzip") == true)
    }
    try await server.close()
  }

  @Test func aCancelledLoadClosesItsConnection() async throws {
    let server = try await OriginServer { _ in
      .init(headers: ["Content-Length": "10"], body: [1, 2, 3], end: .silent)
    }
    try await withLoader { loader in
      let sink = RecordingSink(takesHeadAtOnce: true)
      let loading = Task { try await loader.load(LoadRequest(url: server.url("/a")), into: sink) }
      await sink.wait { if case .bytes = $0 { true } else { false } }
      loading.cancel()
      await #expect(throws: CancellationError.self) { try await loading.value }
      try await server.record.connectionHasEnded.pass()
    }
    try await server.close()
  }

  @Test func aLoadThatIsCancelledDoesNotWaitForItsReceiver() async throws {
    let server = try await OriginServer { _ in .bytes([1, 2, 3]) }
    try await withLoader { loader in
      let sink = RecordingSink(takesHeadAtOnce: true, pausesAfterEachChunk: true)
      let loading = Task { try await loader.load(LoadRequest(url: server.url("/a")), into: sink) }
      await sink.waitUntilPaused()
      loading.cancel()
      await #expect(throws: CancellationError.self) { try await loading.value }
    }
    try await server.close()
  }

  @Test(arguments: [true, false]) func aSilentServerIsGivenUp(hasBegun: Bool) async throws {
    let server = try await OriginServer { _ in
      .init(headers: ["Content-Length": "10"], body: hasBegun ? [1] : [], end: .silent)
    }
    let clock = ManualClock()
    try await withLoader(clock: clock) { loader in
      let error = await withTaskGroup(of: ImageError?.self) { group in
        group.addTask { await loader.failure(LoadRequest(url: server.url("/a"))) }
        group.addTask {
          try? await server.record.wasAsked.pass()
          while !Task.isCancelled {
            await clock.waitForSleepers()
            _ = clock.advanceToNextDeadline()
          }
          return nil
        }
        defer { group.cancelAll() }
        return await group.next() ?? nil
      }
      #expect(error?.code == .timedOut && error?.message.contains("idleTimeout") == true)
    }
    try await server.close()
  }

  @Test func theWholeTimeIsLimited() async throws {
    let server = try await OriginServer { _ in .bytes([1]) }
    let clock = ManualClock()
    var settings = HTTPClientLoader.Configuration()
    settings.totalTimeout = .seconds(5)
    try await withLoader(settings, clock: clock) { loader in
      let sink = RecordingSink()
      sink.headGate.close()
      async let failure = loader.failure(LoadRequest(url: server.url("/a")), into: sink)
      await sink.headGate.waitForWaiters()
      await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
      #expect(await failure?.message.contains("totalTimeout") == true)
    }
    try await server.close()
  }
}
