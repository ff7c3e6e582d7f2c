import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// The parts that servers send for the rest of a body, and the rules for joining them to its beginning.
@Suite(.tags(.alone))
struct JoinedPartTests {
  private let body = CutFile.body

  @Test func aPartOfAnotherVersionIsNotTaken() async throws {
    // A server that ignores If-Range.
    let part = ServerScript.reply(
      206, headers: [("ETag", "\"two\""), ("Content-Range", "bytes 5000-\(CutFile.length - 1)/\(CutFile.length)")],
      body: Array(body[5000...]))
    let whole = ServerScript.reply(headers: [("ETag", "\"two\"")], body: body)
    let (sink, requests, failure) = try await CutFile.load(
      CutFile.cut(after: 5000), then: ServerRoute { $0.headers["Range"] == nil ? whole : part })
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
    let (sink, _, failure) = try await CutFile.load(
      CutFile.cut(after: 5000), then: ServerRoute { $0.headers["Range"] == nil ? whole : part })
    #expect(failure == nil)
    #expect(sink.body == body)
  }

  private func part(
    from start: Int = 5000, _ headers: [(String, String)], body rest: [UInt8]? = nil, isChunked: Bool = false
  ) -> ServerScript {
    let fields = headers + [("Content-Range", "bytes \(start)-\(CutFile.length - 1)/\(CutFile.length)")]
    let rest = rest ?? Array(body[start...])
    return isChunked
      ? ServerScript(
        [.head(206, fields + [("Transfer-Encoding", "chunked")]), .chunk(rest), .chunk([])], keepsAlive: true)
      : .reply(206, headers: fields, body: rest)
  }

  /// Checks that `part` is not joined to a beginning of another version, and that the load then gets the new version
  /// whole.
  private func isLeftOut(
    _ part: ServerScript, first: [(String, String)] = [("ETag", "\"one\"")], _ comment: Comment? = nil
  ) async throws {
    let whole = ServerBody.bytes(CutFile.length).reversed().map { $0 }
    let route = ServerRoute { request in
      request.headers["Range"] == nil ? .reply(headers: [("ETag", "\"two\"")], body: whole) : part
    }
    let (sink, _, failure) = try await CutFile.load(CutFile.cut(after: 5000, headers: first), then: route)
    #expect(failure == nil, comment)
    #expect(sink.body == whole, comment)
    #expect(sink.restarts.last == 0, comment)
    // The next load must not join it either.
    let server = try ScriptableServer(routes: [
      "/a": ServerRoute { $0.visit == 0 ? CutFile.cut(after: 5000, headers: first) : route.answer($0) }
    ])
    defer { server.close() }
    try await withLoader({
      $0.maximumResumptions = 0
      $0.resumeStore = CurlLoader.ResumeStore(minimumBytes: 1000)
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

  @Test(arguments: ["multipart/byteranges; boundary=a", "Multipart/ByteRanges"])
  func aPartThatSaysItIsSeveralIsNotTaken(type: String) async throws {
    try await isLeftOut(part([("ETag", "\"one\""), ("Content-Type", type)]))
  }

  /// The kelvin sign and the letter K are equal to Swift, but different tags to a server.
  @Test func aTagThatOnlyLooksTheSameIsAnother() async throws {
    try await isLeftOut(part([("ETag", "\"\u{212A}\"")]), first: [("ETag", "\"K\"")])
  }

  /// Both tags would become the same text if invalid UTF-8 were repaired.
  @Test func tagsThatAreNoUTF8AreNotJoined() async throws {
    func head(_ status: Int, _ fields: String) -> ServerStep {
      .send(
        Array("HTTP/1.1 \(status) Status\r\n\(fields)\r\nETag: \"".utf8) + [status == 200 ? 0xe9 : 0xe8]
          + Array("\"\r\n\r\n".utf8))
    }
    let cut = ServerScript([head(200, "Content-Length: \(CutFile.length)"), .body(count: 5000), .reset])
    let range = "Content-Range: bytes 5000-\(CutFile.length - 1)/\(CutFile.length)"
    let rest = ServerScript([head(206, range), .send(Array(body[5000...]))])
    let (sink, requests, failure) = try await CutFile.load(cut, then: .always(rest))
    #expect(failure?.code == .truncatedBody)
    #expect(requests.count == 1)
    #expect(sink.head?.headers["ETag"] == "\"\u{e9}\"")
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
    let whole = ServerBody.bytes(CutFile.length).reversed().map { $0 }
    let part = part([("ETag", "\"one\"")])
    let server = try ScriptableServer(routes: [
      "/a": ServerRoute { $0.visit == 0 ? CutFile.cut(after: 5000) : .redirect(to: "/b") },
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
    let file = CutFile.whole()
    let server = try ScriptableServer(routes: [
      "/a": .always(.redirect(to: "/b")),
      "/b": ServerRoute { $0.visit == 0 ? CutFile.cut(after: 5000) : file.answer(to: $0) },
    ])
    defer { server.close() }
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == body)
    }
    #expect(server.requests.last?.headers["Range"] == "bytes=5000-")
  }

  /// A caller may accept these statuses, but their bodies are never the rest of another body.
  @Test(arguments: [201, 203, 207, 404, 500])
  func nothingIsJoinedToAnAnswerThatIsNoPart(status: Int) async throws {
    let store = CurlLoader.ResumeStore()
    let other = ServerScript.reply(status, body: [1, 2, 3])
    let cut = CutFile.cut(after: 50_000)
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
}
