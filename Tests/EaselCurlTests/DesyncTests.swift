import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// Unrequested bytes must never become the answer to the next request on their connection.
@Suite(.tags(.alone))
struct DesyncTests {
  private static let planted = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted"
  private let good: [UInt8] = [1, 2, 3, 4]

  /// Loads `/first` and then `/next`; in between the server sends unrequested bytes.
  private func connectionsUsed(
    first: [ServerStep], method: String = "GET", late: String?, isOver: Bool = false
  ) async throws -> Int {
    let (mayPlant, hasPlanted) = (Gate(), Gate())
    var steps = first
    if let late {
      steps += [.wait(mayPlant), .text(late)]
      steps += isOver ? [.close] : [.wait(hasPlanted)]
    }
    let server = try ScriptableServer(routes: [
      "/first": .always(ServerScript(steps, keepsAlive: true)), "/next": .always(.reply(body: good)),
    ])
    defer { server.close() }
    try await withLoader { loader in
      _ = try await loader.load(LoadRequest(url: server.url("/first"), method: method), into: KeepingSink())
      if late != nil {
        mayPlant.open()
        if isOver { await server.waitUntilAllHaveLeft() } else { await hasPlanted.waitForWaiters() }
      }
      let sink = try await loader.body(server.url("/next")).sink
      #expect(sink.body == good)
      #expect(sink.head?.headers["Content-Length"] == "4")
      hasPlanted.open()
      let again = try await loader.body(server.url("/next")).sink
      #expect(again.body == good)
    }
    #expect(server.requests(for: "/next").count == 2)
    return server.connectionCount
  }

  @Test(arguments: [planted, "H", "\r\n", planted + planted])
  func whatComesOnAnIdleConnectionEndsIt(late: String) async throws {
    let first: [ServerStep] = [.head(200, [("Content-Length", "3")]), .send([9, 9, 9])]
    #expect(try await connectionsUsed(first: first, late: late) == 2)
  }

  @Test func whatComesWithTheLastChunkEndsTheConnection() async throws {
    let head = ServerStep.head(200, [("Transfer-Encoding", "chunked")])
    let first: [ServerStep] = [head, .text("3\r\nabc\r\n0\r\n\r\n" + Self.planted)]
    #expect(try await connectionsUsed(first: first, late: nil) == 2)
    #expect(try await connectionsUsed(first: [head, .text("3\r\nabc\r\n0\r\n\r\n")], late: Self.planted) == 2)
  }

  @Test(arguments: [204, 304, 200])
  func aBodyWhereThereIsNoneEndsTheConnection(status: Int) async throws {
    let text = "HTTP/1.1 \(status) Status\r\n\(status == 200 ? "Content-Length: 0\r\n" : "")\r\n"
    #expect(try await connectionsUsed(first: [.text(text + Self.planted)], late: nil) == 2)
    #expect(try await connectionsUsed(first: [.text(text)], late: Self.planted) == 2)
  }

  @Test func aBodyAfterAHeadThatWasAskedForAloneEndsTheConnection() async throws {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: \(Self.planted.utf8.count)\r\n\r\n"
    #expect(try await connectionsUsed(first: [.text(text + Self.planted)], method: "HEAD", late: nil) == 2)
    #expect(try await connectionsUsed(first: [.text(text)], method: "HEAD", late: Self.planted) == 2)
  }

  /// Whoever redirects knows the next request and can answer it in advance, a moment after it was sent.
  @Test(arguments: ["", "a body"])
  func whatFollowsARedirectAnswersNoOtherRequest(body: String) async throws {
    let head = ServerStep.head(302, [("Location", "/next"), ("Content-Length", "\(body.utf8.count)")])
    let redirect = ServerScript([head, .text(body), .readRequest, .text(Self.planted + Self.planted)])
    let server = try ScriptableServer(routes: ["/first": .always(redirect), "/next": .always(.reply(body: good))])
    defer { server.close() }
    try await withLoader { loader in
      let sink = try await loader.body(server.url("/first")).sink
      #expect(sink.body == good)
      let next = try await loader.body(server.url("/next")).sink
      #expect(next.body == good)
    }
    #expect(server.requests(for: "/next").count == 2)
  }

  /// The same holds for the request for the whole that follows a part of another version.
  @Test func whatFollowsAUselessPartAnswersNoOtherRequest() async throws {
    let rest = Array(CutFile.body[50_000...])
    let range = "bytes 50000-\(CutFile.length - 1)/\(CutFile.length)"
    let part = ServerScript([
      .head(206, [("ETag", "\"two\""), ("Content-Range", range), ("Content-Length", "\(rest.count)")]), .send(rest),
      .readRequest, .text(Self.planted + Self.planted),
    ])
    let whole = ServerScript.reply(headers: [("ETag", "\"two\"")], body: CutFile.body)
    let (sink, _, failure) = try await CutFile.load(
      CutFile.cut(after: 50_000), then: ServerRoute { $0.headers["Range"] == nil ? whole : part })
    #expect(failure == nil)
    #expect(sink.body == CutFile.body)
  }

  @Test func aConnectionThatEndsBehindABodyIsNotUsedAgain() async throws {
    let first: [ServerStep] = [.head(200, [("Content-Length", "3")]), .send([9, 9, 9])]
    #expect(try await connectionsUsed(first: first, late: Self.planted, isOver: true) == 2)
  }

  @Test func aConnectionInOrderIsUsedAgain() async throws {
    let first: [ServerStep] = [.head(200, [("Content-Length", "3")]), .send([9, 9, 9])]
    // On a busy machine the loop may give a connection up, but one of five runs must reuse it.
    var used = 0
    for _ in 0..<5 where used != 1 { used = try await connectionsUsed(first: first, late: nil) }
    #expect(used == 1)
  }

  /// A transfer that waits for its sink is not idle, even if its server sends more meanwhile.
  @Test func aPausedTransferOverAKeptConnectionGoesOn() async throws {
    let body = ServerBody.bytes(3_000_000)
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: [1])), "/b": .always(.reply(body: body))])
    defer { server.close() }
    try await withLoader { loader in
      _ = try await loader.body(server.url("/a"))
      for takesHeadAtOnce in [true, false] {
        let sink = RecordingSink(takesHeadAtOnce: takesHeadAtOnce, pausesAfterEachChunk: true)
        if !takesHeadAtOnce { sink.headGate.close() }
        let loading = Task { try await loader.load(LoadRequest(url: server.url("/b")), into: sink) }
        if !takesHeadAtOnce {
          await sink.headGate.waitForWaiters()
          // Another load in between checks all connections.
          _ = try await loader.body(server.url("/a"))
          sink.headGate.open()
        }
        await sink.waitUntilPaused()
        _ = try await loader.body(server.url("/a"))
        sink.resumeForGood()
        _ = try await loading.value
        #expect(sink.body == body)
      }
    }
  }

  @Test(.enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
  func encryptionHidesNothingThatWasPlanted() async throws {
    let certificates = try await NginxServer.shared().certificates
    let server = try TalkingTLSServer(certificates) { request in
      guard request == 0 else { return ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "good"] }
      // The end of the body and the planted bytes are one TLS record, of which curl reads only the body.
      return ["HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n0123456789", "01234567890123456789" + Self.planted]
    }
    defer { server.close() }
    try await withLoader({ $0.certificateAuthorities = certificates.authorityPath }) { loader in
      let sink = KeepingSink()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = try await loader.load(LoadRequest(url: server.url("/a")), into: sink) }
        group.addTask {
          server.sayNext()
          await sink.waitForBytes(10)
          server.saysAllAtOnce()
        }
        try await group.waitForAll()
      }
      let next = try await loader.body(server.url("/b"))
      #expect(String(decoding: next.sink.body, as: UTF8.self) == "good")
      #expect(!next.metrics.reusedConnection)
      #expect(next.metrics.protocolName == "HTTP/1.1")
    }
  }
}
