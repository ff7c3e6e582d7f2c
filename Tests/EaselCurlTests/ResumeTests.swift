import EaselCore
import EaselSupport
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// Cut bodies, and the loading of their rest within the same load.
@Suite(.tags(.alone))
struct ResumeTests {
  private let body = CutFile.body

  @Test(arguments: [1, 10_000, 50_000, 99_999])
  func aCutTransferGoesOn(count: Int) async throws {
    let (sink, requests, failure) = try await CutFile.load(CutFile.cut(after: count), then: .file(CutFile.whole()))
    #expect(failure == nil)
    #expect(sink.body == body)
    #expect(sink.heads.count == 1 && sink.restarts.isEmpty)
    #expect(requests.map { $0.headers["Range"] } == [nil, "bytes=\(count)-"])
    #expect(requests.last?.headers["If-Range"] == "\"one\"")
    #expect(requests.last?.headers["Accept-Encoding"] == "identity")
  }

  @Test func aCloseIsACutToo() async throws {
    let (sink, _, failure) = try await CutFile.load(CutFile.cut(after: 5000, by: .close), then: .file(CutFile.whole()))
    #expect(failure == nil)
    #expect(sink.body == body)
  }

  @Test func aChangedFileStartsAfresh() async throws {
    let changed = ServerBody.bytes(70_000).reversed().map { $0 }
    let (sink, _, failure) = try await CutFile.load(
      CutFile.cut(after: 5000), then: .file(ServerFile(changed, etag: "\"two\"")))
    #expect(failure == nil)
    #expect(sink.body == changed)
    #expect(sink.restarts == [0])
    #expect(sink.heads.map { $0.headers["ETag"] } == ["\"one\"", "\"two\""])
    #expect(sink.heads.map(\.expectedLength) == [CutFile.length, 70_000])
  }

  @Test func aServerWithoutRangesStartsAfresh() async throws {
    var file = CutFile.whole()
    file.offersRanges = false
    let (sink, requests, failure) = try await CutFile.load(CutFile.cut(after: 5000), then: .file(file))
    #expect(failure == nil)
    #expect(sink.body == body)
    #expect(sink.restarts == [0])
    #expect(requests.count == 2)
  }

  @Test(arguments: [
    [], [("ETag", "W/\"weak\"")], [("ETag", "unquoted")], [("ETag", "\"one\""), ("Accept-Ranges", "none")],
    [("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:40 GMT")],
    [("ETag", "\"a\rb\"")],
  ])
  func withoutAStrongValidatorNothingGoesOn(headers: [(String, String)]) async throws {
    let (_, requests, failure) = try await CutFile.load(
      CutFile.cut(after: 5000, headers: headers), then: .file(CutFile.whole()))
    #expect(failure?.code == .truncatedBody)
    #expect(requests.count == 1)
  }

  @Test(arguments: ["\"a\", \"b\"", "\"a\"b\"", "\"", "\"\"", "*", "\"a b\"", "\"\u{e9}\""])
  func whatIsNoTagIsNoValidator(tag: String) async throws {
    let (_, requests, failure) = try await CutFile.load(
      CutFile.cut(after: 5000, headers: [("ETag", tag)]), then: .file(CutFile.whole()))
    #expect(failure?.code == .truncatedBody)
    #expect(requests.count == 1)
  }

  @Test func anOldDateIsAStrongValidator() async throws {
    let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
    let first = CutFile.cut(
      after: 5000, headers: [("Last-Modified", changed), ("Date", "Sun, 06 Nov 1994 08:50:37 GMT")])
    let (sink, requests, failure) = try await CutFile.load(
      first, then: .file(ServerFile(body, etag: nil, lastModified: changed)))
    #expect(failure == nil)
    #expect(sink.body == body)
    #expect(requests.last?.headers["If-Range"] == changed)
  }

  @Test func anErrorInPlaceOfTheRestIsTheEnd() async throws {
    let (sink, _, failure) = try await CutFile.load(CutFile.cut(after: 5000), then: .always(.reply(503)))
    #expect(failure?.code == .truncatedBody)
    #expect(failure?.message.contains("status 503") == true)
    #expect(sink.heads.count == 1)
  }

  /// Answers to a request for the rest that bring nothing of it, each for a body that can be had whole.
  private static let useless: [Named<ServerScript>] = {
    let range = ("Content-Range", "bytes 50000-\(CutFile.length - 1)/\(CutFile.length)")
    let tag = ("ETag", "\"one\"")
    let rest = Array(CutFile.body[50_000...])
    return [
      Named("cut at once", [.head(206, [tag, range, ("Content-Length", "\(rest.count)")]), .close]),
      Named("packed", .reply(206, headers: [tag, range, ("Content-Encoding", "gzip")], body: Gzip.stored(rest))),
      Named("another part", .reply(206, headers: [tag], body: rest)), Named("406", .reply(406)),
      Named("416", .reply(416)), Named("403", .reply(403, body: [1, 2, 3])),
    ]
  }()

  @Test(arguments: useless, [0, 1, 3])
  func ifTheRestCannotBeHadTheWholeIsAskedForOnce(answer: Named<ServerScript>, resumptions: Int) async throws {
    let store = CurlLoader.ResumeStore()
    let isMended = Locked(false)
    let route = ServerRoute { request in
      if request.headers["Range"] != nil { return answer.value }
      return isMended.withLock { $0 } ? CutFile.whole().answer(to: request) : CutFile.cut(after: 50_000)
    }
    let server = try ScriptableServer(routes: ["/a": route])
    defer { server.close() }
    try await withLoader({
      $0.maximumResumptions = resumptions
      $0.resumeStore = store
    }) { loader in
      // As long as the whole is cut as well, the load fails after a few requests.
      #expect(await loader.failure(of: server.url("/a"))?.code == .truncatedBody)
      #expect(server.requests.count <= 2 + 2 * resumptions)
      isMended.withLock { $0 = true }
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == body)
    }
    #expect(server.requests.last?.headers["Range"] == nil)
    #expect(store.count == 0)
  }

  @Test func itGoesOnOnlySoOften() async throws {
    let tenths = ServerRoute { request in
      guard let text = request.headers["Range"], let start = Int(text.dropFirst(6).dropLast()) else {
        return CutFile.cut(after: 10_000)
      }
      let range = "bytes \(start)-\(CutFile.length - 1)/\(CutFile.length)"
      let head = ServerStep.head(
        206,
        [("ETag", "\"one\""), ("Content-Range", range), ("Content-Length", "\(CutFile.length - start)")])
      return ServerScript([head, .send(Array(body[start..<min(start + 10_000, CutFile.length)])), .reset])
    }
    let (sink, requests, failure) = try await CutFile.load(CutFile.cut(after: 10_000), then: tenths)
    #expect(failure?.code == .truncatedBody)
    #expect(requests.count == 4)
    #expect(sink.body == Array(body.prefix(40_000)))
    let (whole, _, none) = try await CutFile.load(CutFile.cut(after: 10_000), then: tenths) {
      $0.maximumResumptions = 20
    }
    #expect(none == nil)
    #expect(whole.body == body)
  }
}
