import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// The parts of a cut body that are kept for the next load of the same URL.
@Suite(.tags(.alone))
struct ResumeStoreTests {
  private let body = CutFile.body

  @Test func theNextLoadGoesOnWhereTheLastOneEnded() async throws {
    let store = CurlLoader.ResumeStore()
    let (sink, requests) = try await CutFile.twoLoads(store, then: CutFile.whole()) {
      #expect(store.byteCount == 50_000)
    }
    #expect(sink.body == body)
    #expect(sink.heads.count == 1)
    #expect(sink.head?.status == 200)
    #expect(sink.head?.expectedLength == CutFile.length)
    #expect(sink.head?.headers["Content-Range"] == nil)
    #expect(requests.last?.headers["Range"] == "bytes=50000-")
    #expect(store.count == 0)
  }

  @Test func theNextLoadOfAChangedFileStartsAfresh() async throws {
    let (sink, requests) = try await CutFile.twoLoads(CurlLoader.ResumeStore(), then: CutFile.whole("\"two\""))
    #expect(sink.body == body)
    #expect(sink.heads.count == 1 && sink.restarts.isEmpty)
    #expect(requests.count == 2)
  }

  @Test func anotherScopeIsAnotherPicture() async throws {
    let scopes = ["one", "two"].map { CacheKey.Scope(parts: [.init(name: "token", value: $0)]) }
    let keys = scopes.map { CacheKey(original: "a", scope: $0) }
    let (sink, requests) = try await CutFile.twoLoads(CurlLoader.ResumeStore(), keys: keys, then: CutFile.whole())
    #expect(sink.body == body)
    #expect(requests.last?.headers["Range"] == nil)
  }

  @Test func withoutAStoreNothingIsKept() async throws {
    let (sink, requests) = try await CutFile.twoLoads(nil, then: CutFile.whole())
    #expect(sink.body == body)
    #expect(requests.last?.headers["Range"] == nil)
  }

  /// What must not be stored is not stored in part either.
  @Test(arguments: [0, 1, 2]) func nothingIsKeptOfWhatMustNotBeStored(kind: Int) async throws {
    let store = CurlLoader.ResumeStore()
    var headers = [("ETag", "\"one\"")]
    if kind == 0 { headers.append(("Cache-Control", "private, no-store")) }
    let server = try ScriptableServer(routes: ["/a": .always(CutFile.cut(after: 50_000, headers: headers))])
    defer { server.close() }
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = store
      if kind == 2 { $0.headers["Cache-Control"] = "no-store" }
    }) { loader in
      let own: HTTPHeaders = kind == 1 ? ["Cache-Control": "no-store"] : [:]
      let failure = await loader.failure(of: LoadRequest(url: server.url("/a"), headers: own))
      #expect(failure?.code == .truncatedBody)
      #expect(store.count == 0)
    }
  }

  @Test func anHourLaterNothingIsLeft() async throws {
    let clock = ManualClock()
    let store = CurlLoader.ResumeStore(clock: clock)
    let (_, requests) = try await CutFile.twoLoads(store, then: CutFile.whole()) {
      clock.advance(by: .seconds(3599))
      #expect(store.count == 1)
      clock.advance(by: .seconds(1))
      #expect(store.count == 0)
    }
    #expect(requests.last?.headers["Range"] == nil)
  }

  @Test func aCancelledLoadIsKeptToo() async throws {
    let store = CurlLoader.ResumeStore()
    let stalled = CutFile.cut(after: 50_000, by: .waitForHangup)
    let file = CutFile.whole()
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? stalled : file.answer(to: $0) }])
    defer { server.close() }
    try await withLoader({ $0.resumeStore = store }) { loader in
      let sink = KeepingSink()
      let loading = Task { try await loader.load(LoadRequest(url: server.url("/a")), into: sink) }
      while sink.count < 50_000 { await Task.yield() }
      loading.cancel()
      await #expect(throws: CancellationError.self) { try await loading.value }
      #expect(store.byteCount == 50_000)
      let next = try await loader.body(server.url("/a")).sink
      #expect(next.body == body)
    }
  }

  @Test func aModifierIsAskedBeforeWhatWasKeptIsGiven() async throws {
    let store = CurlLoader.ResumeStore()
    let cut = CutFile.cut(after: 50_000)
    let file = CutFile.whole()
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? cut : file.answer(to: $0) }])
    defer { server.close() }
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = store
    }) { loader in
      _ = await loader.failure(of: server.url("/a"))
      let sink = RecordingSink()
      sink.headGate.close()
      let loading = Task { try await loader.load(LoadRequest(url: server.url("/a")), into: sink) }
      await sink.headGate.waitForWaiters()
      #expect(sink.events.isEmpty)
      sink.headGate.open()
      _ = try await loading.value
      #expect(sink.body == body)
    }
  }

  @Test(
    arguments: [
      [.close], .reply(101, headers: [("Upgrade", "other")]), .reply(200, headers: [("Transfer-Encoding", "other")]),
    ] as [ServerScript])
  func whatWasKeptSurvivesAServerThatFails(failing: ServerScript) async throws {
    let store = CurlLoader.ResumeStore()
    let cut = CutFile.cut(after: 50_000)
    let file = CutFile.whole()
    let server = try ScriptableServer(routes: [
      "/a": ServerRoute { $0.visit == 0 ? cut : $0.visit == 1 ? failing : file.answer(to: $0) }
    ])
    defer { server.close() }
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = store
    }) { loader in
      _ = await loader.failure(of: server.url("/a"))
      let failure = await loader.failure(of: server.url("/a"))
      #expect(failure?.code == .network)
      #expect(store.byteCount == 50_000)
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == body)
    }
    #expect(server.requests.last?.headers["Range"] == "bytes=50000-")
  }

  @Test func theStoreIsBounded() async {
    func partial(_ count: Int) -> PartialBody {
      PartialBody(bytes: ImageBytes(ServerBody.bytes(count)), head: ResponseHead(), validator: "\"a\"", length: 1 << 20)
    }
    let store = CurlLoader.ResumeStore(memoryLimit: 100_000, minimumBytes: 1000)
    store.put(partial(999), for: CacheKey(original: "small"))
    store.put(partial(100_001), for: CacheKey(original: "large"))
    #expect(store.count == 0)
    for number in 0..<10 { store.put(partial(30_000), for: CacheKey(original: "\(number)")) }
    #expect(store.count == 3)
    #expect(store.byteCount == 90_000)
    #expect(await store.take(CacheKey(original: "6")) == nil)
    #expect(await store.take(CacheKey(original: "7")) != nil)
    #expect(await store.take(CacheKey(original: "7")) == nil)
    await store.removeAll()
    #expect(store.byteCount == 0)
  }
}
