import EaselCore
import EaselSupport
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// Servers end idle connections, even at the moment when a request is sent over them.
@Suite(.tags(.alone))
struct KeptConnectionTests {
  private let good: [UInt8] = [1, 2, 3]

  /// A server that answers the first request of each connection and ends the connection at the second.
  private func server(by end: ServerStep) throws -> ScriptableServer {
    let answered = Locked<Set<Int>>([])
    let good = good
    return try ScriptableServer(routes: [
      "/*": ServerRoute { request in
        guard answered.withLock({ $0.insert(request.connection).inserted }) else { return [end] }
        return .reply(body: request.method == "HEAD" ? [] : good)
      }
    ])
  }

  /// There are more lost connections than the retries that curl makes in one transfer.
  @Test(arguments: ["GET", "HEAD"], [true, false])
  func whatMayBeSentTwiceIsAskedAgain(method: String, isReset: Bool) async throws {
    let server = try server(by: isReset ? .reset : .close)
    defer { server.close() }
    let count = 20
    try await withLoader({ $0.maximumTransfers = 1 }) { loader in
      for number in 0..<count {
        let sink = KeepingSink()
        let failure = await loader.failure(of: LoadRequest(url: server.url("/a"), method: method), sink: sink)
        #expect(failure == nil, "load \(number)")
        #expect(sink.head?.status == 200)
        if method == "GET" { #expect(sink.body == good) }
      }
    }
    // On a busy machine the loader may give up a connection or two before it reuses them.
    #expect(server.connectionCount == count)
    #expect(server.requests.count > count + 10)
  }

  @Test(
    arguments: [("POST", [1, 2]), ("POST", []), ("PUT", [3]), ("DELETE", nil), ("GET", [4])] as [(String, [UInt8]?)])
  func whatMayChangeSomethingIsSentOnce(method: String, body: [UInt8]?) async throws {
    let server = try server(by: .close)
    defer { server.close() }
    try await withLoader { loader in
      _ = try await loader.body(server.url("/a"))
      let request = LoadRequest(url: server.url("/b"), method: method, body: body.map { Data($0) })
      let sink = try await loader.body(request).sink
      #expect(sink.body == good)
    }
    #expect(server.requests(for: "/b").count == 1)
  }

  @Test func aConnectionOfItsOwnThatEndsWithoutAnAnswerIsAnError() async throws {
    let server = try ScriptableServer(connections: [[.readRequest, .close]])
    defer { server.close() }
    let failure = try await withLoader { await $0.failure(of: server.url("/a")) }
    #expect(failure?.code == .network)
    #expect(failure?.message.contains("without an answer") == true)
    #expect(server.requests.count == 1)
  }

  @Test func itIsAskedAgainOnlyOnce() async throws {
    let server = try ScriptableServer(routes: [
      "/a": .always(.reply(body: good)), "/b": .always([.close]),
    ])
    defer { server.close() }
    try await withLoader { loader in
      for _ in 0..<10 {
        _ = try await loader.body(server.url("/a"))
        let before = server.requests(for: "/b").count
        let failure = await loader.failure(of: server.url("/b"))
        #expect(failure?.code == .network)
        #expect(server.requests(for: "/b").count - before <= 2)
      }
    }
  }

  @Test func whatBeganToComeIsNotAskedForAgain() async throws {
    let cut: ServerScript = [.text("HTTP/1.1 103 Early Hints\r\n\r\n"), .close]
    let server = try ScriptableServer(routes: ["/a": .always(.reply(body: good)), "/b": .always(cut)])
    defer { server.close() }
    try await withLoader { loader in
      _ = try await loader.body(server.url("/a"))
      #expect(await loader.failure(of: server.url("/b"))?.code == .network)
    }
    #expect(server.requests(for: "/b").count == 1)
  }
}
