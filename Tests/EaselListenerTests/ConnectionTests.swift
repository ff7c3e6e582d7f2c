import EaselCore
import EaselListener
import EaselService
import EaselSupport
import EaselTestSupport
import EaselTestTags
import Testing

/// What goes over one connection.
@Suite(.tags(.alone))
struct ConnectionTests {
  @Test func aConnectionServesManyRequests() async throws {
    let test = try TestListener()
    let client = try test.client()
    for target in ["/a", "/later/b", "/c?d=%2F", "/later/e"] {
      client.get(target)
      let answer = try #require(await client.answer())
      #expect(answer.text == target)
      #expect(answer.headers["Content-Length"] == "\(target.utf8.count)")
      #expect(answer.headers["Connection"] == nil)
      #expect(answer.headers["Date"] == "Sun, 09 Sep 2001 01:46:40 GMT")
    }
    let counts = await test.stop()
    #expect(counts.accepted == 1 && counts.requests == 4 && counts.refused.isEmpty && counts.left == 0)
  }

  @Test func theHandlerGetsWhatWasSent() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/a%2F..%2f/ä//b?%41=%00", fields: ["Accept: image/webp;q=0.9", "accept: */*", "X-Empty:"])
    #expect(await client.answer()?.status == 200)
    let request = try #require(test.handler.notes.withLock { $0.requests.first })
    #expect(request.method == "GET" && request.target == "/a%2F..%2f/ä//b?%41=%00")
    #expect(request.headers.fields.map(\.name) == ["Host", "Accept", "accept", "X-Empty"])
    #expect(request.headers["accept"] == "image/webp;q=0.9, */*")
    #expect(!request.hasBody && request.id == nil)
    _ = await test.stop()
  }

  @Test func theDateMovesWithTheClock() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/a")
    _ = await client.answer()
    test.clock.advance(by: .seconds(2))
    client.get("/b")
    #expect(await client.answer()?.headers["Date"] == "Sun, 09 Sep 2001 01:46:42 GMT")
    _ = await test.stop()
  }

  @Test func requestsInOnePieceAreAnsweredInOrder() async throws {
    let test = try TestListener()
    let client = try test.client()
    let targets = (0..<12).map { $0 % 3 == 1 ? "/later/\($0)" : "/\($0)" }
    client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for target in targets { #expect(await client.answer()?.text == target) }
    _ = await test.stop()
    #expect(test.handler.targets == targets)
  }

  @Test func theNextRequestWaitsForTheAnswer() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n")
    await test.handler.gate.waitForWaiters()
    client.send("GET /c HTTP/1.1\r\nHost: a\r\n\r\n")
    // Another client is served meanwhile.
    let other = try test.client()
    other.get("/other")
    #expect(await other.answer()?.text == "/other")
    #expect(test.handler.targets == ["/gate", "/other"])
    test.handler.gate.open()
    for target in ["/gate", "/b", "/c"] { #expect(await client.answer()?.text == target) }
    _ = await test.stop()
  }

  @Test func aThousandRequestsAtOnceAreAnswered() async throws {
    let test = try TestListener()
    let client = try test.client()
    let requests = (0..<1000).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
    async let answers = Self.answers(1000, of: client)
    await Self.send(Array(requests.utf8), to: client)
    #expect(await answers == (0..<1000).map { "/\($0)" })
    #expect(await test.stop().requests == 1000)
  }

  @Test func aHeadMayComeInPieces() async throws {
    let test = try TestListener()
    let client = try test.client()
    for byte in "GET /slow HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\nGET /two HTT".utf8 { client.send([byte]) }
    #expect(await client.answer()?.text == "/slow")
    client.send("P/1.1\r\nHost: a\r\n\r\n")
    #expect(await client.answer()?.text == "/two")
    _ = await test.stop()
  }

  @Test(arguments: ["/now", "/later"])
  func theClientCanAskForTheEnd(_ target: String) async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get(target, fields: ["Connection: close"])
    client.get("/never")
    let answer = try #require(await client.answer())
    #expect(answer.headers["Connection"] == "close" && answer.text == target)
    #expect(await client.isClosedSilently())
    _ = await test.stop()
    #expect(test.handler.targets == [target])
  }

  @Test func theHandlerCanAskForTheEnd() async throws {
    let test = try TestListener(
      handler: TestHandler { _ in
        ServiceResponse(status: 200, headers: ["Connection": "close"], body: [ImageBytes([0x61])])
      })
    let client = try test.client()
    client.get("/")
    #expect(await client.answer()?.headers.values(of: "Connection") == ["close"])
    #expect(await client.isClosedSilently())
    _ = await test.stop()
  }

  @Test func anOldClientGetsOneAnswer() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send("GET /a HTTP/1.0\r\n\r\n")
    #expect(await client.answer()?.headers["Connection"] == "close")
    #expect(await client.isClosedSilently())
    _ = await test.stop()
  }

  @Test func anOldClientCanAskForMore() async throws {
    let test = try TestListener()
    let client = try test.client()
    for target in ["/a", "/b"] {
      client.send("GET \(target) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      let answer = try #require(await client.answer())
      #expect(answer.headers["Connection"] == "keep-alive" && answer.text == target)
    }
    _ = await test.stop()
  }

  @Test func headIsAnsweredWithoutTheBody() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.get("/abc", method: "HEAD")
    client.get("/later", method: "HEAD")
    client.get("/d")
    #expect(await client.answer(isHeadOnly: true)?.headers["Content-Length"] == "4")
    #expect(await client.answer(isHeadOnly: true)?.headers["Content-Length"] == "6")
    #expect(await client.answer()?.text == "/d")
    _ = await test.stop()
  }

  @Test(arguments: [204, 304])
  func someStatusesHaveNoBody(_ status: Int) async throws {
    let test = try TestListener(
      handler: TestHandler { request in
        request.target == "/"
          ? ServiceResponse(status: status, headers: ["ETag": "\"a\""], body: [ImageBytes([0x61])])
          : TestHandler.echo(request)
      })
    let client = try test.client()
    client.get("/")
    client.get("/next")
    let answer = try #require(await client.answer())
    #expect(answer.status == status && answer.headers["ETag"] == "\"a\"")
    #expect(answer.headers["Content-Length"] == nil)
    #expect(await client.answer()?.text == "/next")
    _ = await test.stop()
  }

  @Test func aHeaderThatWouldBreakTheHeadIsNeverSent() async throws {
    let test = try TestListener(
      handler: TestHandler { request in
        ServiceResponse(status: 200, headers: ["X": "a\r\nSet-Cookie: evil"], body: [ImageBytes([0x61])])
      })
    let client = try test.client()
    client.get("/")
    client.get("/")
    for _ in 0..<2 {
      let answer = try #require(await client.answer())
      #expect(answer.status == 500 && answer.headers["Set-Cookie"] == nil && answer.headers["X"] == nil)
    }
    _ = await test.stop()
  }

  @Test(arguments: [1, 2, 4])
  func clientsAreServedByAllThreads(_ threads: Int) async throws {
    let test = try TestListener { $0.threads = threads }
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<40 {
        group.addTask {
          guard let client = try? test.client() else { return false }
          for round in 0..<5 {
            let target = "\(round % 2 == 0 ? "" : "/later")/\(number)/\(round)"
            client.get(target)
            guard await client.answer()?.text == target else { return false }
          }
          return true
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    let counts = await test.stop()
    #expect(counts.accepted == 40 && counts.requests == 200)
  }

  private static func answers(_ count: Int, of client: ListenerClient) async -> [String] {
    var texts: [String] = []
    while texts.count < count, let answer = await client.answer() { texts.append(answer.text) }
    return texts
  }

  /// Sends what may be more than the buffers hold.
  private static func send(_ bytes: [UInt8], to client: ListenerClient) async {
    await withCheckedContinuation { continuation in
      PlainThread.start {
        client.send(bytes)
        continuation.resume()
      }
    }
  }
}
