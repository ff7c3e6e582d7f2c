import EaselCore
import EaselTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import EaselCurl

/// Bodies that are cut, and how their rest is had.
struct ResumeTests {
  private static let length = 100_000
  private let body = ServerBody.bytes(length)

  /// A whole file of which only the first bytes come.
  private func cut(
    after count: Int, headers: [(String, String)] = [("ETag", "\"one\"")], by end: ServerStep = .reset
  ) -> ServerScript {
    ServerScript([.head(200, headers + [("Content-Length", "\(Self.length)")]), .body(count: count), end])
  }

  private func file(_ etag: String? = "\"one\"") -> ServerFile { ServerFile(body, etag: etag) }

  private func load(
    _ first: ServerScript, then: ServerRoute, _ change: (inout CurlLoader.Configuration) -> Void = { _ in }
  ) async throws -> (sink: KeepingSink, requests: [ServerRequest], failure: ImageError?) {
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? first : then.answer($0) }])
    defer { server.close() }
    let sink = KeepingSink()
    let failure = try await withLoader(change) { loader in
      let failure = await loader.failure(of: LoadRequest(url: server.url("/a")), sink: sink)
      try Task.checkCancellation()
      return failure
    }
    return (sink, server.requests, failure)
  }

  @Test(arguments: [1, 10_000, 50_000, 99_999])
  func aCutTransferGoesOn(count: Int) async throws {
    let (sink, requests, failure) = try await load(cut(after: count), then: .file(file()))
    #expect(failure == nil)
    #expect(sink.body == body)
    #expect(sink.heads.count == 1 && sink.restarts.isEmpty)
    #expect(requests.map { $0.headers["Range"] } == [nil, "bytes=\(count)-"])
    #expect(requests.last?.headers["If-Range"] == "\"one\"")
    #expect(requests.last?.headers["Accept-Encoding"] == "identity")
  }

  @Test func aCloseIsACutToo() async throws {
    let (sink, _, failure) = try await load(cut(after: 5000, by: .close), then: .file(file()))
    #expect(failure == nil)
    #expect(sink.body == body)
  }

  @Test func aChangedFileStartsAfresh() async throws {
    let changed = ServerBody.bytes(70_000).reversed().map { $0 }
    let (sink, _, failure) = try await load(cut(after: 5000), then: .file(ServerFile(changed, etag: "\"two\"")))
    #expect(failure == nil)
    #expect(sink.body == changed)
    #expect(sink.restarts == [0])
    #expect(sink.heads.map { $0.headers["ETag"] } == ["\"one\"", "\"two\""])
    #expect(sink.heads.map(\.expectedLength) == [Self.length, 70_000])
  }

  @Test func aServerWithoutRangesStartsAfresh() async throws {
    var file = file()
    file.offersRanges = false
    let (sink, requests, failure) = try await load(cut(after: 5000), then: .file(file))
    #expect(failure == nil)
    #expect(sink.body == body)
    #expect(sink.restarts == [0])
    #expect(requests.count == 2)
  }

  @Test func aPartOfAnotherVersionIsNotTaken() async throws {
    // A server that knows nothing of If-Range.
    let part = ServerScript.reply(
      206, headers: [("ETag", "\"two\""), ("Content-Range", "bytes 5000-\(Self.length - 1)/\(Self.length)")],
      body: Array(body[5000...]))
    let whole = ServerScript.reply(headers: [("ETag", "\"two\"")], body: body)
    let (sink, requests, failure) = try await load(
      cut(after: 5000), then: ServerRoute { $0.headers["Range"] == nil ? whole : part })
    #expect(failure == nil)
    #expect(sink.body == body)
    #expect(sink.restarts == [0])
    #expect(requests.map { $0.headers["Range"] != nil } == [false, true, false])
  }

  @Test(arguments: [
    "bytes 0-99/100000", "bytes 4999-99999/100000", "bytes 5000-99999/100001", "bytes 5000-99999/*", "",
  ])
  func aPartThatWasNotAskedForIsNotTaken(range: String) async throws {
    let part = ServerScript.reply(
      206, headers: [("ETag", "\"one\""), ("Content-Range", range)], body: Array(body[5000...]))
    let whole = ServerScript.reply(headers: [("ETag", "\"one\"")], body: body)
    let (sink, _, failure) = try await load(
      cut(after: 5000), then: ServerRoute { $0.headers["Range"] == nil ? whole : part })
    #expect(failure == nil)
    #expect(sink.body == body)
  }

  @Test(arguments: [
    [], [("ETag", "W/\"weak\"")], [("ETag", "unquoted")], [("ETag", "\"one\""), ("Accept-Ranges", "none")],
    [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:40 GMT")],
    [("ETag", "\"a\rb\"")],
  ])
  func withoutAStrongValidatorNothingGoesOn(headers: [(String, String)]) async throws {
    let (_, requests, failure) = try await load(cut(after: 5000, headers: headers), then: .file(file()))
    #expect(failure?.code == .truncatedBody)
    #expect(requests.count == 1)
  }

  @Test func anOldDateIsAStrongValidator() async throws {
    let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
    let first = cut(after: 5000, headers: [("Last-Modified", changed), ("Date", "Sun, 06 Nov 1994 08:50:37 GMT")])
    let (sink, requests, failure) = try await load(
      first, then: .file(ServerFile(body, etag: nil, lastModified: changed)))
    #expect(failure == nil)
    #expect(sink.body == body)
    #expect(requests.last?.headers["If-Range"] == changed)
  }

  private func part(
    from start: Int = 5000, _ headers: [(String, String)], body rest: [UInt8]? = nil, isChunked: Bool = false
  ) -> ServerScript {
    let fields = headers + [("Content-Range", "bytes \(start)-\(Self.length - 1)/\(Self.length)")]
    let rest = rest ?? Array(body[start...])
    return isChunked
      ? ServerScript(
        [.head(206, fields + [("Transfer-Encoding", "chunked")]), .chunk(rest), .chunk([])], keepsAlive: true)
      : .reply(206, headers: fields, body: rest)
  }

  /// A first part of one version, whatever `part` is, and then another version as a whole.
  private func isLeftOut(
    _ part: ServerScript, first: [(String, String)] = [("ETag", "\"one\"")], _ comment: Comment? = nil
  ) async throws {
    let whole = ServerBody.bytes(Self.length).reversed().map { $0 }
    let route = ServerRoute { request in
      request.headers["Range"] == nil ? .reply(headers: [("ETag", "\"two\"")], body: whole) : part
    }
    let (sink, _, failure) = try await load(cut(after: 5000, headers: first), then: route)
    #expect(failure == nil, comment)
    #expect(sink.body == whole, comment)
    #expect(sink.restarts.last == 0, comment)
    // The next load must not join it either.
    let server = try ScriptableServer(routes: [
      "/a": ServerRoute { $0.visit == 0 ? self.cut(after: 5000, headers: first) : route.answer($0) }
    ])
    defer { server.close() }
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = ResumeStore(minimumBytes: 1000)
    }) { loader in
      _ = await loader.failure(of: server.url("/a"))
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == whole, comment)
    }
  }

  private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let later = "Sun, 06 Nov 1994 08:50:37 GMT"

  @Test(arguments: [
    [], [("ETag", "W/\"one\"")], [("ETag", "\"two\"")], [("ETag", "one")], [("ETag", "\"one\""), ("ETag", "\"two\"")],
    [("Last-Modified", modified)],
  ])
  func aPartWithoutTheSameTagIsNotTaken(headers: [(String, String)]) async throws {
    try await isLeftOut(part(headers), "\(headers)")
  }

  @Test(arguments: [
    [], [("Last-Modified", later)], [("Last-Modified", modified), ("ETag", "\"new\"")], [("ETag", "\"one\"")],
  ])
  func aPartWithoutTheSameDateIsNotTaken(headers: [(String, String)]) async throws {
    let first = [("Last-Modified", Self.modified), ("Date", "Sun, 06 Nov 1994 09:50:37 GMT")]
    try await isLeftOut(part(headers), first: first, "\(headers)")
  }

  @Test(arguments: [true, false])
  func aPartOfAnotherLengthThanItSaysIsNotTaken(isChunked: Bool) async throws {
    let tag = [("ETag", "\"one\"")]
    let rest = Array(body[5000...])
    for bytes in [rest + [1, 2, 3, 4], Array(rest.dropLast()), [], rest + rest] {
      try await isLeftOut(part(tag, body: bytes, isChunked: isChunked), "\(bytes.count)")
    }
  }

  @Test func aPartOfAnotherURLIsNotTaken() async throws {
    let whole = ServerBody.bytes(Self.length).reversed().map { $0 }
    let part = part([("ETag", "\"one\"")])
    let server = try ScriptableServer(routes: [
      "/a": ServerRoute { $0.visit == 0 ? self.cut(after: 5000) : .redirect(to: "/b") },
      "/b": ServerRoute { $0.headers["Range"] == nil ? .reply(body: whole) : part },
    ])
    defer { server.close() }
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == whole)
      #expect(sink.restarts == [0])
    }
  }

  @Test func aPartBehindTheSameRedirectIsTaken() async throws {
    let file = file()
    let server = try ScriptableServer(routes: [
      "/a": .always(.redirect(to: "/b")),
      "/b": ServerRoute { $0.visit == 0 ? self.cut(after: 5000) : file.answer(to: $0) },
    ])
    defer { server.close() }
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == body)
    }
    #expect(server.requests.last?.headers["Range"] == "bytes=5000-")
  }

  /// Statuses that a caller may accept, whose bodies are no rest of anything.
  @Test(arguments: [201, 203, 207, 404, 500])
  func nothingIsJoinedToAnAnswerThatIsNoPart(status: Int) async throws {
    let store = ResumeStore()
    let other = ServerScript.reply(status, body: [1, 2, 3])
    let cut = cut(after: 50_000)
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? cut : other }])
    defer { server.close() }
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = store
    }) { loader in
      _ = await loader.failure(of: server.url("/a"))
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == [1, 2, 3])
    }
  }

  @Test(arguments: ["\"a\", \"b\"", "\"a\"b\"", "\"", "\"\""])
  func whatIsNoTagIsNoValidator(tag: String) async throws {
    let (_, requests, failure) = try await load(cut(after: 5000, headers: [("ETag", tag)]), then: .file(file()))
    #expect(failure?.code == .truncatedBody)
    #expect(requests.count == 1)
  }

  /// Damage that nothing else would show.
  @Test(arguments: [10, -1, -40_000, -100])
  func aDamagedPartOnDiskIsNotJoined(place: Int) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "easel-resume-\(UInt64.random(in: 0...(.max)))")
    defer { try? FileManager.default.removeItem(at: directory) }
    let store = ResumeStore(directory: directory.path())
    let (sink, requests) = try await twoLoads(store, then: file()) {
      await store.waitForFiles()
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path())) ?? []
      #expect(names.count == 1)
      for name in names {
        let file = directory.appending(path: name)
        guard var bytes = try? Data(contentsOf: file) else { continue }
        bytes[place < 0 ? bytes.count + place : place] ^= 1
        try? bytes.write(to: file)
      }
    }
    #expect(sink.body == body)
    #expect(requests.last?.headers["Range"] == nil)
  }

  /// Whoever may write into the directory could plant half a picture.
  @Test(arguments: [true, false])
  func aDirectoryOfOthersIsNotUsed(isLink: Bool) async throws {
    let place = FileManager.default.temporaryDirectory.appending(path: "easel-resume-\(UInt64.random(in: 0...(.max)))")
    let directory = place.appending(path: "kept")
    let target = place.appending(path: "target")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    if isLink {
      try FileManager.default.createSymbolicLink(at: directory, withDestinationURL: target)
    } else {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      #expect(chmod(directory.path(), 0o777) == 0)
    }
    let store = ResumeStore(directory: directory.path())
    let (sink, requests) = try await twoLoads(store, then: file()) {
      await store.waitForFiles()
      #expect((try? FileManager.default.contentsOfDirectory(atPath: directory.path())) == [])
    }
    #expect(sink.body == body)
    #expect(requests.last?.headers["Range"] == nil)
  }

  @Test func anErrorInPlaceOfTheRestIsTheEnd() async throws {
    let (sink, _, failure) = try await load(cut(after: 5000), then: .always(.reply(503)))
    #expect(failure?.code == .truncatedBody)
    #expect(failure?.message.contains("status 503") == true)
    #expect(sink.heads.count == 1)
  }

  @Test func itGoesOnOnlySoOften() async throws {
    let tenths = ServerRoute { request in
      guard let text = request.headers["Range"], let start = Int(text.dropFirst(6).dropLast()) else {
        return self.cut(after: 10_000)
      }
      let range = "bytes \(start)-\(Self.length - 1)/\(Self.length)"
      let head = ServerStep.head(
        206,
        [("ETag", "\"one\""), ("Content-Range", range), ("Content-Length", "\(Self.length - start)")])
      return ServerScript([head, .send(Array(self.body[start..<min(start + 10_000, Self.length)])), .reset])
    }
    let (sink, requests, failure) = try await load(cut(after: 10_000), then: tenths)
    #expect(failure?.code == .truncatedBody)
    #expect(requests.count == 4)
    #expect(sink.body == Array(body.prefix(40_000)))
    let (whole, _, none) = try await load(cut(after: 10_000), then: tenths) { $0.maximumResumptions = 20 }
    #expect(none == nil)
    #expect(whole.body == body)
  }

  // MARK: The next load

  private func twoLoads(
    _ store: ResumeStore?, keys: [CacheKey?] = [nil, nil], then: ServerFile, between: () async -> Void = {}
  ) async throws -> (sink: KeepingSink, requests: [ServerRequest]) {
    let cut = cut(after: 50_000)
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? cut : then.answer(to: $0) }])
    defer { server.close() }
    let sink = KeepingSink()
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = store
    }) { loader in
      let failure = await loader.failure(of: LoadRequest(url: server.url("/a"), key: keys[0]))
      #expect(failure?.code == .truncatedBody)
      await between()
      _ = try await loader.load(LoadRequest(url: server.url("/a"), key: keys[1]), into: sink)
    }
    return (sink, server.requests)
  }

  @Test func theNextLoadGoesOnWhereTheLastOneEnded() async throws {
    let store = ResumeStore()
    let (sink, requests) = try await twoLoads(store, then: file()) { #expect(store.byteCount == 50_000) }
    #expect(sink.body == body)
    #expect(sink.heads.count == 1)
    #expect(sink.head?.status == 200)
    #expect(sink.head?.expectedLength == Self.length)
    #expect(sink.head?.headers["Content-Range"] == nil)
    #expect(requests.last?.headers["Range"] == "bytes=50000-")
    #expect(store.count == 0)
  }

  @Test func theNextLoadOfAChangedFileStartsAfresh() async throws {
    let (sink, requests) = try await twoLoads(ResumeStore(), then: file("\"two\""))
    #expect(sink.body == body)
    #expect(sink.heads.count == 1 && sink.restarts.isEmpty)
    #expect(requests.count == 2)
  }

  @Test func anotherScopeIsAnotherPicture() async throws {
    let scopes = ["one", "two"].map { CacheScope(parts: [.init(name: "token", value: $0)]) }
    let keys = scopes.map { CacheKey(original: "a", scope: $0) }
    let (sink, requests) = try await twoLoads(ResumeStore(), keys: keys, then: file())
    #expect(sink.body == body)
    #expect(requests.last?.headers["Range"] == nil)
  }

  @Test func withoutAStoreNothingIsKept() async throws {
    let (sink, requests) = try await twoLoads(nil, then: file())
    #expect(sink.body == body)
    #expect(requests.last?.headers["Range"] == nil)
  }

  @Test func anHourLaterNothingIsLeft() async throws {
    let clock = ManualClock()
    let store = ResumeStore(clock: clock)
    let (_, requests) = try await twoLoads(store, then: file()) {
      clock.advance(by: .seconds(3599))
      #expect(store.count == 1)
      clock.advance(by: .seconds(1))
      #expect(store.count == 0)
    }
    #expect(requests.last?.headers["Range"] == nil)
  }

  @Test func aDirectoryOutlivesTheStore() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "easel-resume-\(UInt64.random(in: 0...(.max)))")
    defer { try? FileManager.default.removeItem(at: directory) }
    let cut = cut(after: 50_000)
    let file = file()
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? cut : file.answer(to: $0) }])
    defer { server.close() }
    let store = ResumeStore(directory: directory.path())
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = store
    }) { loader in
      let failure = await loader.failure(of: server.url("/a"))
      #expect(failure?.code == .truncatedBody)
      try Task.checkCancellation()
    }
    await store.waitForFiles()
    #expect(store.count == 0)
    try await withLoader({ $0.resumeStore = ResumeStore(directory: directory.path()) }) { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == body)
      #expect(sink.heads.count == 1)
    }
    #expect(server.requests.last?.headers["Range"] == "bytes=50000-")
    let left = try FileManager.default.contentsOfDirectory(atPath: directory.path())
    #expect(left.isEmpty)
  }

  @Test func aCancelledLoadIsKeptToo() async throws {
    let store = ResumeStore()
    let stalled = cut(after: 50_000, by: .waitForHangup)
    let file = file()
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
    let store = ResumeStore()
    let cut = cut(after: 50_000)
    let file = file()
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

  @Test func whatWasKeptSurvivesAServerThatIsAway() async throws {
    let store = ResumeStore()
    let cut = cut(after: 50_000)
    let file = file()
    let server = try ScriptableServer(routes: [
      "/a": ServerRoute { $0.visit == 0 ? cut : $0.visit == 1 ? [.close] : file.answer(to: $0) }
    ])
    defer { server.close() }
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = store
    }) { loader in
      _ = await loader.failure(of: server.url("/a"))
      let away = await loader.failure(of: server.url("/a"))
      #expect(away?.code == .network)
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
    let store = ResumeStore(memoryLimit: 100_000, minimumBytes: 1000)
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
