import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// Each fault of a server gives its own error, and no fault spoils the connection of the next load.
@Suite(.tags(.alone))
struct BadServerTests {
  private func failure(
    of script: ServerScript, _ change: (inout CurlLoader.Configuration) -> Void = { _ in }
  ) async throws -> ImageError? {
    let server = try ScriptableServer(routes: ["/a": .always(script), "/good": .always(.reply(body: [1, 2, 3]))])
    defer { server.close() }
    return try await withLoader({
      $0.maximumResumptions = 0
      change(&$0)
    }) { loader in
      let failure = await loader.failure(of: server.url("/a"))
      let loaded1 = try await loader.body(server.url("/good")).sink
      #expect(loaded1.body == [1, 2, 3])
      return failure
    }
  }

  @Test(arguments: 0..<10)
  func aResetAtEachTenthIsATruncatedBody(tenth: Int) async throws {
    let failure = try await failure(of: .resetting(after: tenth * 1000, of: 10_000))
    #expect(failure?.code == .truncatedBody)
    #expect(failure?.message.contains("\(tenth * 1000) of 10000 bytes") == true)
    #expect(failure?.curlFailure != nil)
  }

  @Test func aShortBodyIsTruncated() async throws {
    let failure = try await failure(of: .wrongLength(announced: 1000, sent: 999))
    #expect(failure?.code == .truncatedBody)
    #expect(failure?.message.contains("999 of 1000 bytes") == true)
  }

  @Test func ofALongBodyTheAnnouncedBytesAreTakenAndTheConnectionIsNotUsedAgain() async throws {
    let server = try ScriptableServer(
      routes: ["/a": .always(.wrongLength(announced: 100, sent: 5000)), "/good": .always(.reply(body: [1]))])
    defer { server.close() }
    try await withLoader { loader in
      let loaded2 = try await loader.body(server.url("/a")).sink
      #expect(loaded2.body == ServerBody.bytes(100))
      let loaded3 = try await loader.body(server.url("/good")).sink
      #expect(loaded3.body == [1])
    }
    #expect(server.connectionCount == 2)
  }

  @Test func junkIsNoHTTP() async throws {
    let failure = try await failure(of: .junk)
    #expect(failure?.code == .network)
    #expect(failure?.message.contains("not HTTP") == true)
  }

  @Test func aConnectionThatClosesAtOnceIsAnEmptyAnswer() async throws {
    let failure = try await failure(of: [.close])
    #expect(failure?.code == .network)
    #expect(failure?.message.contains("without an answer") == true)
  }

  @Test func aHeadWithoutFieldsIsEnough() async throws {
    let server = try ScriptableServer(connections: [[.text("HTTP/1.1 200 OK\r\n\r\n"), .send([1, 2, 3]), .close]])
    defer { server.close() }
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/a")).sink
      #expect(sink.body == [1, 2, 3])
      #expect(sink.head?.status == 200)
      #expect(sink.head?.headers.isEmpty == true)
      #expect(sink.head?.expectedLength == nil)
    }
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", "HTTP/1.1 200 OK\r\nX-A: b\r\nX-C", "HTTP/1.1 200 OK\r\n",
  ])
  func aHeadThatBreaksOffIsAnError(text: String) async throws {
    let failure = try await failure(of: [.text(text), .close])
    #expect(failure?.code == .network)
    #expect(failure?.message.contains("middle of the head") == true)
  }

  @Test func aHugeHeadIsOverTheLimit() async throws {
    let failure = try await failure(of: .hugeHead(bytes: 300 << 10))
    #expect(failure?.code == .limitExceeded)
    #expect(failure?.message.contains("head of the response") == true)
  }

  @Test func aLargeHeadWithinTheLimitIsTaken() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.hugeHead(bytes: 50_000))])
    defer { server.close() }
    try await withLoader { loader in
      let loaded5 = try await loader.body(server.url("/a")).sink
      #expect(loaded5.head?.headers.fields.count ?? 0 > 50)
    }
  }

  @Test func aNullInAHeadIsRefused() async throws {
    let failure = try await failure(of: .nullInHead)
    #expect(failure?.code == .network)
    #expect(failure?.message.contains("not HTTP") == true)
  }

  @Test(arguments: ServerScript.ChunkFault.allCases)
  func wrongChunksAreAnError(fault: ServerScript.ChunkFault) async throws {
    let failure = try await failure(of: .chunked(with: fault))
    #expect(failure?.code == .network || failure?.code == .truncatedBody)
    #expect(failure?.curlFailure != nil)
  }

  @Test(arguments: ServerScript.GzipFault.allCases)
  func brokenGzipIsAnError(fault: ServerScript.GzipFault) async throws {
    let failure = try await failure(of: .gzip(with: fault))
    #expect(failure?.code == .badImageData)
    #expect(failure?.message.contains("cannot be unpacked") == true)
  }

  @Test func aConnectionLostInAPackedBodyIsNoDamage() async throws {
    let half = Array(Gzip.stored(ServerBody.bytes(2000)).prefix(1000))
    let failure = try await failure(of: [.head(200, [("Content-Encoding", "gzip")]), .send(half), .close])
    #expect(failure?.code == .truncatedBody)
    #expect(failure?.message.contains("after 1000 bytes") == true)
  }

  @Test func aBadStatusCountsBeforeWhatItsBodyIsLike() async throws {
    let large = ServerScript.reply(404, body: ServerBody.bytes(5000))
    let strange = ServerScript.reply(404, headers: [("Content-Encoding", "deflate")], body: [1, 2, 3])
    let server = try ScriptableServer(routes: ["/large": .always(large), "/strange": .always(strange)])
    defer { server.close() }
    try await withLoader { loader in
      for path in ["/large", "/strange"] {
        let sink = RecordingSink(takesHeadAtOnce: true, headFailure: ImageError(.badStatus, "404 is not accepted."))
        let failure = await loader.failure(of: LoadRequest(url: server.url(path), byteLimit: 1000), sink: sink)
        #expect(failure?.code == .badStatus)
      }
    }
  }

  @Test func aGzipBombIsStoppedByTheLimit() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.gzipBomb(unpackedBytes: 200 << 20))])
    defer { server.close() }
    try await withLoader { loader in
      let sink = KeepingSink()
      let failure = await loader.failure(of: LoadRequest(url: server.url("/a"), byteLimit: 1 << 20), sink: sink)
      #expect(failure?.code == .limitExceeded)
      #expect(sink.count <= 1 << 20)
    }
  }

  @Test func aGzipBombInAPauseIsStoppedToo() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.gzipBomb(unpackedBytes: 400 << 20))])
    defer { server.close() }
    try await withLoader { loader in
      let request = LoadRequest(url: server.url("/a"), byteLimit: 1 << 20)
      let paused = RecordingSink(takesHeadAtOnce: true, pausesAfterEachChunk: true)
      let loading = Task { await loader.failure(of: request, sink: paused) }
      await paused.waitUntilPaused()
      paused.resumeForGood()
      let code = await loading.value?.code
      #expect(code == .limitExceeded)
      #expect(paused.body.count <= 1 << 20)

      let asking = RecordingSink()
      asking.headGate.close()
      let waiting = Task { await loader.failure(of: request, sink: asking) }
      await asking.headGate.waitForWaiters()
      asking.headGate.open()
      let other = await waiting.value?.code
      #expect(other == .limitExceeded)
      #expect(asking.body.count <= 1 << 20)
      try Task.checkCancellation()
    }
  }

  @Test func aSlowHandshakeIsATimeOut() async throws {
    let server = try ScriptableServer(connections: [.silence])
    defer { server.close() }
    try await withLoader({ $0.connectTimeout = .milliseconds(100) }) { loader in
      let failure = await loader.failure(of: URL(string: "https://127.0.0.1:\(server.port)/a")!)
      #expect(failure?.code == .timedOut)
      #expect(failure?.message.contains("took too long") == true)
    }
  }

  @Test func anEncryptedRequestToAPlainServerIsATLSFailure() async throws {
    let server = try ScriptableServer(connections: [[.text("HTTP/1.1 400 Bad Request\r\n\r\n")]])
    defer { server.close() }
    try await withLoader { loader in
      let url = URL(string: "https://127.0.0.1:\(server.port)/a")!
      let failure = await loader.failure(of: url)
      #expect(failure?.code == .network)
      #expect(failure?.curlFailure?.isTLSFailure == true)
      #expect(failure.flatMap { loader.shouldBlock(url, after: $0) } == true)
    }
  }

  @Test func aRefusedConnectionIsANetworkError() async throws {
    let port = try RefusingPort()
    try await withLoader { loader in
      let failure = await loader.failure(of: port.url())
      #expect(failure?.code == .network)
      #expect(failure?.message.contains("connection to the server failed") == true)
      #expect(failure?.curlFailure?.code == 7)
      #expect(failure.flatMap { loader.shouldBlock(port.url(), after: $0) } == nil)
    }
  }

  @Test func aNameThatIsNoneIsANetworkError() async throws {
    try await withLoader { loader in
      // RFC 6761 reserves this ending for names that never resolve.
      let failure = await loader.failure(of: URL(string: "http://no-such-name.invalid/a")!)
      #expect(failure?.code == .network)
      #expect(failure?.message.contains("cannot be resolved") == true)
    }
  }

  @Test func aBodyOverTheLimitIsRefusedBeforeItComes() async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: ServerBody.bytes(1000)))])
    defer { server.close() }
    try await withLoader { loader in
      let sink = KeepingSink()
      let failure = await loader.failure(of: LoadRequest(url: server.url("/a"), byteLimit: 999), sink: sink)
      #expect(failure?.code == .limitExceeded && failure?.isAboutLength == true)
      #expect(failure?.message.contains("1000 bytes") == true)
      #expect(sink.heads.count == 1 && sink.count == 0)
      let loaded6 = try await loader.body(LoadRequest(url: server.url("/a"), byteLimit: 1000)).sink
      #expect(loaded6.count == 1000)
    }
  }

  @Test func aBodyThatGrowsOverTheLimitIsStopped() async throws {
    let chunks = (0..<20).map { _ in ServerBody.bytes(100) }
    let failure = try await failure(of: .chunked(chunks)) { _ in }
    #expect(failure == nil)
    let server = try ScriptableServer(routes: ["/a": .always(.chunked(chunks))])
    defer { server.close() }
    try await withLoader { loader in
      let failure = await loader.failure(of: LoadRequest(url: server.url("/a"), byteLimit: 1999))
      #expect(failure?.code == .limitExceeded && failure?.isAboutLength == true)
    }
  }
}
