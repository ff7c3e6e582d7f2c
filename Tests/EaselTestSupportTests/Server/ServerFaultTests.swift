import EaselCore
import EaselTestSupport
import EaselTestTags
import Testing

@Suite(.tags(.alone))
struct ServerFaultTests {
  private func answer(to script: ServerScript) async throws -> RawClient.Answer {
    let server = try ScriptableServer(routes: ["/": .always(script)])
    defer { server.close() }
    return try await RawClient.get("/", from: server.port)
  }

  @Test(arguments: [(1000, 400), (400, 1000), (0, 5)])
  func aBodyIsOfAnotherLengthThanAnnounced(announced: Int, sent: Int) async throws {
    let answer = try await answer(to: .wrongLength(announced: announced, sent: sent))
    #expect(answer.header("Content-Length") == "\(announced)")
    #expect(answer.body == ServerBody.bytes(sent))
    #expect(!answer.wasReset)
  }

  @Test(arguments: [0, 1, 100_000, 3_000_000])
  func aConnectionIsResetAfterExactlySoManyBytes(count: Int) async throws {
    let answer = try await answer(to: .resetting(after: count, of: 5_000_000))
    #expect(answer.wasReset)
    #expect(answer.body == ServerBody.bytes(count))
  }

  @Test func aBodyStalls() async throws {
    let server = try ScriptableServer(routes: ["/": .always(.stalling(after: 10, of: 20))])
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    var answer = await client.receive(1)
    while answer.body.count < 10 { answer.bytes += await client.receive(1).bytes }
    #expect(answer.body == ServerBody.bytes(10))
    server.close()
    #expect(await client.receive().bytes.isEmpty)
  }

  @Test func junkHasNoStatus() async throws {
    let answer = try await answer(to: .junk)
    #expect(!answer.text.hasPrefix("HTTP/"))
    #expect(!answer.bytes.isEmpty)
  }

  @Test func aHeadIsHuge() async throws {
    let answer = try await answer(to: .hugeHead())
    #expect(answer.bytes.count > 300_000)
    #expect(answer.header("X-Filler-299") != nil)
    #expect(answer.body.isEmpty)
  }

  @Test func aHeadHoldsANull() async throws {
    let answer = try await answer(to: .nullInHead)
    #expect(answer.header("X-Null") == "before\0after")
    #expect(answer.body == Array("ok".utf8))
  }

  @Test(arguments: ServerScript.ChunkFault.allCases)
  func chunksAreNotAsTheySay(fault: ServerScript.ChunkFault) async throws {
    let body = try await answer(to: .chunked(with: fault)).body
    // The first chunk is valid, the rest is not.
    let first = Array("64\r\n".utf8) + ServerBody.bytes(100) + [13, 10]
    #expect(body.starts(with: first))
    let rest = String(decoding: body.dropFirst(first.count), as: UTF8.self).components(separatedBy: "\r\n")
    let size = Int(rest[0], radix: 16)
    #expect(size.map { $0 < 0 || rest.count < 2 || $0 != rest[1].utf8.count } ?? true)
  }

  @Test func soundChunksAreAsTheySay() async throws {
    let body = try await answer(to: .chunked([[1, 2, 3], [], [4]])).body
    #expect(body == Array("3\r\n\u{1}\u{2}\u{3}\r\n1\r\n\u{4}\r\n0\r\n\r\n".utf8))
  }

  @Test func redirectsNameTheirPlace() async throws {
    let answer = try await answer(to: .redirect(to: "file:///etc/passwd", status: 307))
    #expect(answer.status == 307)
    #expect(answer.header("Location") == "file:///etc/passwd")
  }

  @Test func endlessRedirectsNeverNameTheSamePlace() async throws {
    let server = try ScriptableServer(routes: ["/loop": .endlessRedirects])
    defer { server.close() }
    var path = "/loop"
    var seen: Set<String> = []
    for _ in 0..<5 {
      #expect(seen.insert(path).inserted)
      path = try #require(try await RawClient.get(path, from: server.port).header("Location"))
    }
  }

  @Test func silenceAnswersNoHandshake() async throws {
    let server = try ScriptableServer(connections: [.silence])
    let client = try RawClient(port: server.port)
    defer { client.close() }
    client.send([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0])
    await server.waitForConnections()
    server.close()
    #expect(await client.receive().bytes.isEmpty)
  }
}
