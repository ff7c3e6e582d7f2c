import EaselListener
import EaselTestSupport
import EaselTestTags
import Glibc
import Testing

/// Requests that two programs could understand differently, or that ask for what a listener must not do.
@Suite(.tags(.alone))
struct HostileRequestTests {
  @Test func thereAreManyOfThem() {
    #expect(HostileRequest.all.count >= 60)
    #expect(Set(HostileRequest.all.map(\.name)).count == HostileRequest.all.count)
  }

  @Test(arguments: HostileRequest.all)
  func itIsRefusedAndItsConnectionEnds(_ request: HostileRequest) async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send(request.bytes)
    let answer = try #require(await client.answer(isHeadOnly: request.bytes.starts(with: "HEAD".utf8)))
    #expect(answer.status == request.status)
    #expect(answer.headers["Connection"] == "close")
    #expect(answer.headers["Cache-Control"] == "no-store")
    #expect((answer.headers["Allow"] == "GET, HEAD, OPTIONS") == (request.status == 405))
    // The bytes behind it are not answered.
    #expect(await client.isClosedSilently())
    let counts = await test.stop()
    #expect(test.handler.targets == [])
    #expect(counts.requests == 0 && counts.refused == [request.status: 1])
  }

  @Test(arguments: HostileRequest.all)
  func theRequestBeforeItIsAnswered(_ request: HostileRequest) async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send(Array("GET /good HTTP/1.1\r\nHost: a\r\n\r\n".utf8) + request.bytes)
    #expect(await client.answer()?.text == "/good")
    #expect(await client.answer(isHeadOnly: request.bytes.starts(with: "HEAD".utf8))?.status == request.status)
    #expect(await client.isClosedSilently())
    _ = await test.stop()
    #expect(test.handler.targets == ["/good"])
  }

  @Test(arguments: HeadSample.accepted)
  func whatIsAllowedReachesTheHandler(_ sample: HeadSample) async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send(sample.bytes)
    let answer = try #require(await client.answer(isHeadOnly: sample.bytes.starts(with: "HEAD".utf8)))
    #expect(answer.status == 200)
    #expect(test.handler.targets == [sample.target])
    _ = await test.stop()
  }

  @Test func aRefusedClientMaySendAllOfItsBody() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n")
    for _ in 0..<50 { client.send([UInt8](repeating: 0x61, count: 10_000)) }
    // If the connection were closed with bytes unread, it would be reset and the answer lost.
    #expect(await client.answer()?.status == 413)
    #expect(await client.isClosedSilently())
    _ = await test.stop()
    #expect(test.handler.targets == [])
  }

  /// Nobody knows how long it is before it ends, so it is over the limit, which is no body at all.
  @Test func aBodyInChunksGetsAnAnswerAndACleanEnd() async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<50 { client.send(Array("2710\r\n".utf8) + [UInt8](repeating: 0x61, count: 10_000) + [13, 10]) }
    client.send("0\r\n\r\n")
    let answer = try #require(await client.answer())
    #expect(answer.status == 413 && answer.text == "A request must not have a body.\n")
    #expect(await client.isClosedSilently())
    #expect(await test.stop().refused == [413: 1])
    #expect(test.handler.targets == [])
  }

  @Test(arguments: ["Content-Length: 100000000", "Transfer-Encoding: chunked"])
  func anEndlessBodyIsNotReadForEver(_ field: String) async throws {
    let test = try TestListener()
    let client = try test.client()
    client.send("POST /x HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
    for _ in 0..<10_000 { client.send([UInt8](repeating: 0x61, count: 10_000)) }
    // Sending fails once the listener has closed.
    #expect(Glibc.send(client.descriptor, "x", 1, CInt(MSG_NOSIGNAL)) == -1)
    #expect(await test.stop().refused == [413: 1])
  }
}
